#!/bin/sh
# Prints the nginx that the test of the configuration in docs/deploying.md runs: the one that
# NGINX names, else one that is installed, else, as root on Debian, one that it
# installs from the system's packages.
set -eu
if [ -n "${NGINX:-}" ]; then
  command -v "$NGINX" || { echo "NGINX is $NGINX, which is not a program" >&2; exit 1; }
  exit 0
fi
PATH="$PATH:/usr/sbin:/usr/local/sbin"
command -v nginx && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nginx-light; } >&2
  command -v nginx && exit 0
fi
echo "no nginx found: install nginx with your system's packages, or name one with NGINX=/path/to/it" >&2
exit 1
