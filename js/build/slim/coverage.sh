#!/bin/sh
# Says whether the tests in Node, those of panics and of the collector among them, reach a function of traps.txt: runs them with programs
# without traps, in which each function counts its calls. Fails if one is reached.
set -eu
cd "$(dirname "$0")/../../.."
make build .build/panictest.wasm
rm -rf .build/hits
trap 'touch js/build/slim/traps.txt && make dist/chatsdk.wasm .build/panictest.wasm' EXIT # with the traps again
go run ./js/build/slim -maps .build/maps -counts .build/linked.wasm dist/chatsdk.wasm
go run ./js/build/slim -maps .build/maps -counts .build/panictest.wasm.linked .build/panictest.wasm
# The test of the size fails, of course.
HITS="$PWD/.build/hits" NODE_OPTIONS="--require $PWD/js/build/slim/hits.cjs" node --test js/test/*.test.mjs >.build/hits.log || true
go run ./js/build/slim reached js/build/slim/traps.txt .build/hits .build/linked.wasm .build/panictest.wasm.linked
