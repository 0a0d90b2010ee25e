# Runs a PostgreSQL in a folder: server.sh BIN FOLDER SETTING... It reads commands, stop
# and start, a line each, and answers each, and the first start, with a line. When its
# input ends, as it does when whoever started it is killed, it ends the server and
# removes the folder.
set -eu
bin=$1 folder=$2
shift 2
cd "$folder"
data=$folder/data

finish() {
  trap - EXIT
  "$bin/pg_ctl" stop -s -D "$data" -m immediate >/dev/null 2>&1 || true
  cd /
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

start() { "$bin/pg_ctl" start -s -w -D "$data" -l "$folder/log" </dev/null >/dev/null 2>&1 || { cat "$folder/log"; exit 1; }; }

"$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C --no-sync </dev/null >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
for setting; do echo "$setting"; done >>"$data/postgresql.conf"
start
echo started
while read -r command; do
  case $command in
    stop) "$bin/pg_ctl" stop -s -w -D "$data" -m immediate </dev/null >/dev/null 2>&1; echo stopped ;;
    start) start; echo started ;;
  esac
done
