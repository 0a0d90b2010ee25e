#!/bin/sh
# Prints the folder of the PostgreSQL programs that the tests use: the one that
# POSTGRES_BIN names, else one that is installed, else, as root on Debian, one that it
# installs from the system's packages.
set -eu
if [ -n "${POSTGRES_BIN:-}" ]; then
  test -x "$POSTGRES_BIN/initdb" || { echo "POSTGRES_BIN is $POSTGRES_BIN, which holds no initdb" >&2; exit 1; }
  echo "$POSTGRES_BIN"
  exit 0
fi
find_server() {
  for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn); do
    test -x "$folder/initdb" && { echo "$folder"; return 0; }
  done
  initdb=$(command -v initdb) && dirname "$initdb"
}
find_server && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # Debian's package would start a server of its own.
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; } >&2
  find_server && exit 0
fi
echo "no PostgreSQL found: install it (15 or newer) with your system's packages, or name its programs with POSTGRES_BIN=/path/to/bin" >&2
exit 1
