# Runs a program in its own place: replica.sh PROGRAM ARGUMENT... When its input ends
# without a line, as it does when whoever started it is killed, the program is killed.
exec 3<&0
( read -r _ <&3 || kill -9 $$ ) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null
