#!/bin/sh
# Prints the Chromium that the end-to-end tests drive: the one that CHROMIUM
# names, else one that is installed, else, as root on Debian, one that it
# installs from the system's packages.
set -eu
if [ -n "${CHROMIUM:-}" ]; then
  command -v "$CHROMIUM" || { echo "CHROMIUM is $CHROMIUM, which is not a program" >&2; exit 1; }
  exit 0
fi
find_browser() {
  for name in chromium chromium-browser google-chrome-stable google-chrome; do
    command -v "$name" && return 0
  done
  return 1
}
find_browser && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >&2
  find_browser && exit 0
fi
echo "no Chromium found: install chromium or google-chrome with your system's packages, or name a browser with CHROMIUM=/path/to/it" >&2
exit 1
