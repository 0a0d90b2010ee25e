#!/bin/sh
# Runs the end-to-end suite in Firefox and WebKitGTK, or in those that are named
# as arguments, and prints the result. As root on Debian it installs missing
# programs from the system's packages. FIREFOX, WEBKIT_DRIVER, MINIBROWSER and
# XVFB name other programs.
set -eu
cd "$(dirname "$0")/../.."
needs() {
  command -v "$1" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2"; } >&2
  fi
  command -v "$1" >/dev/null || { echo "no $1 found: install $2 with your system's packages, or name a program with $3=/path/to/it" >&2; exit 1; }
}
failed=0
mkdir -p .build
[ $# -gt 0 ] || set -- firefox webkit
for browser; do
  case $browser in
    firefox)
      [ -n "${FIREFOX:-}" ] || needs firefox-esr firefox-esr FIREFOX
      version=$("${FIREFOX:-firefox-esr}" --version) ;;
    webkit)
      [ -n "${WEBKIT_DRIVER:-}" ] || needs WebKitWebDriver webkit2gtk-driver WEBKIT_DRIVER
      [ -n "${XVFB:-}" ] || needs Xvfb xvfb XVFB
      version="WebKitGTK $(pkg-config --modversion webkit2gtk-4.1 2>/dev/null || dpkg-query -W -f '${Version}' webkit2gtk-driver 2>/dev/null || echo of unknown version)" ;;
    *) echo "$browser is not a browser of this suite, want firefox or webkit" >&2; exit 1 ;;
  esac
  log=.build/test-$browser.log
  if BROWSER=$browser go test -count=1 -v -timeout 90m ./js/test >"$log" 2>&1; then result=passed; else result=failed failed=1; fi
  echo "$version: $result, tests: $(grep -c '^--- PASS' "$log") passed, $(grep -c '^--- FAIL' "$log") failed, $(grep -c '^--- SKIP' "$log") skipped; all of it is in $log"
  grep -E '^--- (FAIL|SKIP)|does not speak|^panic' "$log" || true
done
exit $failed
