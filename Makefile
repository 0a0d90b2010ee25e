# What people run. `make` alone prints this menu.
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
GOFLAGS ?= -buildvcs=false
export GOFLAGS

# The toolchain that go.mod names, also where Go is told to use only its own.
GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)
export GOTOOLCHAIN
WASM_EXEC := $(shell GOTOOLCHAIN=$(GOTOOLCHAIN) go env GOROOT)/lib/wasm/wasm_exec.js
GO_SOURCES := $(shell find sdk bridge wasm -name '*.go' -not -name '*_test.go') go.mod go.sum
JS_SOURCES := $(wildcard js/src/*.ts js/src/*.mts js/src/worker/*.ts)
# Entries beside the client, each a folder of js/src: react, ai-sdk.
ENTRIES := $(patsubst js/src/%/index.ts,%,$(wildcard js/src/*/index.ts))
ESBUILD := go tool esbuild
# What runs in a page.
WASM_PACKAGES := ./sdk ./sdk/sse ./sdk/jsontext ./sdk/wire ./bridge ./wasm

# The files that the entry loads when it needs them: they mint tokens, upload with progress, and say
# what to do if the wasm is missing.
LATE := $(foreach part,advice token upload,dist/chatsdk.$(part).mjs)

DIST := dist/chatsdk.wasm dist/chatsdk.mjs dist/chatsdk.js $(LATE) dist/chatsdk.worker.mjs dist/chatsdk.worker.js dist/chatsdk.d.ts dist/chatsdk.wasm.d.ts dist/THIRD-PARTY-NOTICES $(foreach entry,$(ENTRIES),dist/$(entry).mjs dist/$(entry).d.ts)

CONSOLE_SDK := dist/chatsdk.mjs $(LATE) dist/chatsdk.wasm
DEMO_FILES := dist/chatsdk.wasm dist/chatsdk.mjs dist/chatsdk.js $(LATE) dist/chatsdk.worker.mjs dist/chatsdk.worker.js

.PHONY: menu
menu: ## print this menu
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: demo
demo: $(DEMO_FILES) ## build, start the service on 127.0.0.1:8080 and print the addresses of a chat page and of the memory console
	@go build -o .build/service ./service
	@DEMO=1 .build/service

.PHONY: cluster
cluster: $(DEMO_FILES) ## the same on PostgreSQL with three replicas behind a proxy: kill one and continue to chat
	@POSTGRES_BIN="$$(sh service/internal/store/postgres/pgtest/install.sh)" && export POSTGRES_BIN && go build -o .build/service ./service && \
		go build -o .build/cluster ./service/internal/cluster/demo && exec .build/cluster

.PHONY: build
build: $(DIST) ## build dist/: the wasm, the ES module, the script, the worker, the types and the notices

.PHONY: console
console: .build/console.js $(CONSOLE_SDK) ## build dist/console, and the files that CONSOLE=1 serves from any directory once the program is built again; to serve it from its own origin: PROJECT=... SERVICE=https://...
	@node js/build/console.mjs $< dist/console
	@[ -n "$(PROJECT)$(SERVICE)" ] || cp dist/console/* service/internal/console/files

# The program as it is installed: with the console inside.
.PHONY: service
service: console ## build .build/service with the console inside, to be copied to where it runs
	go build -o .build/service ./service

.PHONY: docs
docs: docs/site/node_modules/.package-lock.json ## build the documentation into dist/docs, with a search, and check its links; make demo serves it at /docs/
	cd docs/site && npm run --silent build

docs/site/node_modules/.package-lock.json: docs/site/package.json docs/site/package-lock.json
	cd docs/site && npm ci --silent
	@touch $@

.PHONY: package
package: .build/chatsdk.tgz ## build the npm package as a tarball, check it, and print its size and its hashes
	npx publint run --strict .build/chatsdk.tgz
	npx attw .build/chatsdk.tgz --profile esm-only --exclude-entrypoints chatsdk.js chatsdk.worker.js
	@node js/build/integrity.mjs dist/chatsdk.js dist/chatsdk.wasm
	@echo "the map of its wasm, which exists only here: $$(go run ./js/build/slim map -maps .build/maps dist/chatsdk.wasm)"
	@echo ".build/chatsdk.tgz is the package: npm install $(CURDIR)/.build/chatsdk.tgz"

.build/chatsdk.tgz: $(DIST) package.json README.md CHANGELOG.md LICENSE
	npm pack --silent --ignore-scripts --pack-destination .build # prepack is this build
	@mv .build/chatsdk-$$(node -p "require('./package.json').version").tgz $@

# What make test does, in this order. .ci/run does the same and prints how long each stage takes.
STAGES := format vet lint-types test-go test-core test-browser

.PHONY: test
test: ## set up and run format, vet, lint, types and all tests except those of test-bundlers, in Chromium too
	@for stage in $(STAGES); do $(MAKE) $$stage || exit; done

# Tests that start services, clusters or browsers, or build their own wasm.
LONG := /js/|/service$$|/service/(compat|crash)|/internal/(bench|cluster|postgres)

.PHONY: quick
quick: format .build/quick-js ## check format, vet and the short tests of what changed, without the race detector, in under a minute; Go's caches know what changed
	go vet ./...
	go test -vet=off $$(go list ./... | grep -vE '$(LONG)')

# The types and the tests in Node, if anything that they use has changed.
.build/quick-js: $(JS_SOURCES) $(GO_SOURCES) $(wildcard js/src/*/*.ts js/test/*.mjs js/test/*.ts sdk/testdata/*) tsconfig.json package.json
	@$(MAKE) build
	@$(MAKE) -j2 -Otarget types test-js
	@touch $@

.PHONY: stages
stages:
	@echo $(STAGES)

# Neither keeps two processors busy.
.PHONY: test-core
test-core:
	@$(MAKE) -j2 -Otarget test-wasm test-js

# tsc keeps one processor busy, staticcheck not always two.
.PHONY: lint-types
lint-types:
	@$(MAKE) -j2 -Otarget lint types

.PHONY: format
format:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "not formatted, run gofmt -w: $$unformatted"; exit 1; }

# Compiling and checking code takes a quarter less time with more memory.
vet lint: export GOGC := 400

.PHONY: vet
vet:
	go vet ./...
	GOARCH=386 go vet ./sdk/... # an int has 32 bits there
	GOOS=js GOARCH=wasm go vet $(WASM_PACKAGES)
	GOOS=js GOARCH=wasm go vet -tags panictest ./bridge

.PHONY: lint
lint:
	go tool staticcheck ./...
	staticcheck=$$(go tool -n staticcheck) && GOOS=js GOARCH=wasm $$staticcheck $(WASM_PACKAGES)

.PHONY: types
types: $(filter %.d.ts,$(DIST))
	npx tsc -p .
	npx tsc -p js/test
	npx tsc -p js/test/ai-sdk

# SQLite was translated from C. Races in it are not ours to find, and the detector
# makes it ten times slower. Everything has been vetted before.
RACE := -race -gcflags=modernc.org/...=-race=false

# These packages start no goroutines and change none of their variables, so the race detector
# would find nothing in their tests, and would make them ten times slower. sdk/pure_test.go checks the list.
PURE := ./js/build/slim/... ./sdk/sse ./sdk/jsontext ./service/internal/english ./service/internal/memory/canon \
	./service/internal/builtin/memory/eval ./service/internal/builtin/memory/learn ./service/internal/builtin/memory/rules

# Tests that make replicas fail on purpose: tests running beside them would cause more failures.
ALONE := ./service/crash/replicas ./service/crash/tools

# Some packages wait for replicas and leases more than they compute: three at once keep two processors busy.
.PHONY: test-go
test-go:
	go test -vet=off -shuffle=on $(PURE)
	GOGC=400 go build $(RACE) ./service ./sdk/...
	POSTGRES_BIN="$$(sh service/internal/store/postgres/pgtest/install.sh)"; export POSTGRES_BIN; \
		go test -vet=off $(RACE) -shuffle=on -p 3 $$(go list ./... | grep -v /js/test | grep -vxFf <(go list $(PURE) $(ALONE))) && \
		go test -vet=off $(RACE) -count=1 -p 1 $(ALONE)

# GOMAXPROCS in the environment breaks wasm tests, which have one thread.
.PHONY: test-wasm
test-wasm:
	env -u GOMAXPROCS GOOS=js GOARCH=wasm go test -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" -vet=off $(WASM_PACKAGES)

.PHONY: test-js
test-js: build .build/panictest.wasm .build/chatsdk.tgz
	node --test --test-concurrency=4 js/test/*.test.mjs # some files wait more than they compute

.PHONY: test-browser
test-browser: build console .build/panictest.wasm js/test/react-18/node_modules/.package-lock.json
	CHROMIUM="$$(sh js/test/chromium.sh)" && export CHROMIUM && go test -vet=off -count=1 -timeout 20m $$(go list ./js/test/... | grep -v $(INSTALLING:%=-e /js/test/%))

.PHONY: test-worker
test-worker: build console .build/panictest.wasm js/test/react-18/node_modules/.package-lock.json ## run the end-to-end tests with the core in a worker; SKIP=... leaves some out
	CHROMIUM="$$(sh js/test/chromium.sh)" && export CHROMIUM && WORKER=1 go test -count=1 -timeout 20m -skip '$(SKIP)' ./js/test

examples/05-ai-sdk/node_modules/.package-lock.json: examples/05-ai-sdk/package-lock.json .build/chatsdk.tgz
	cd examples/05-ai-sdk && npm ci --silent

js/test/runners/node_modules/.package-lock.json: js/test/runners/package-lock.json .build/chatsdk.tgz
	cd js/test/runners && npm ci --silent
	@touch $@

INSTALLED := $(foreach folder,runners runtimes ai-sdk/ai-5 ai-sdk/ai-6,js/test/$(folder)/node_modules/.package-lock.json)

# Tests of the packed tarball and of the benchmark, which install much and take minutes.
INSTALLING := ai-sdk bench bundlers docs runners runtimes

.PHONY: test-bundlers
test-bundlers: build .build/chatsdk.tgz .build/bench.js .build/floor.wasm examples/05-ai-sdk/node_modules/.package-lock.json docs/site/node_modules/.package-lock.json $(INSTALLED) ## install the package in every bundler, runtime and test runner and with the AI SDK, run what they make of it, and try the benchmark and the documentation; takes minutes
	CHROMIUM="$$(sh js/test/chromium.sh)" && export CHROMIUM && go test -count=1 -timeout 30m $$(go list ./js/test/... | grep $(INSTALLING:%=-e /js/test/%))

.PHONY: test-browsers
test-browsers: build console .build/panictest.wasm js/test/react-18/node_modules/.package-lock.json ## run the end-to-end suite in Firefox and WebKitGTK too, from Debian's packages; takes a quarter of an hour
	@sh js/test/browsers.sh

.PHONY: size
size: build .build/floor.wasm ## print the size of dist/ after brotli, next to a Go program that has only safejs; fails if a limit is exceeded
	@node js/test/sizes.mjs $(filter %.wasm %.js %.mjs,$(DIST)) .build/floor.wasm

.PHONY: size-parts
size-parts: .build/named.wasm ## print which Go packages the bytes of the wasm belong to
	@node js/test/parts.mjs $<

.build/named.wasm: $(GO_SOURCES) Makefile
	@mkdir -p .build
	$(WASM_BUILD) $(subst -s -w,-w,$(WASM_FLAGS)) -o $@ ./wasm

# Built as anybody would build it.
.build/floor.wasm: $(wildcard js/test/floor/*)
	@mkdir -p .build
	cd js/test/floor && GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o $(CURDIR)/$@ .
	cp $(WASM_EXEC) .build/wasm_exec.js

.PHONY: memory-eval
memory-eval: ## print how well the embedded detector finds memories, duplicates, conflicts, secrets and foreign words; PUBLISHED=folder of attacks
	@go run ./service/internal/builtin/memory/eval/memory-eval -published '$(PUBLISHED)'

.PHONY: memory-weights
memory-weights: ## fit the weights of the embedded detector again; TRY=1 prints how they do on messages that they have not seen, and writes nothing
	@go run ./service/internal/builtin/memory/learn $(if $(TRY),-try)

.PHONY: providers
providers: ## print what each kind of provider of models reads from each scripted stream and refusal, those of the others too
	@cd service/internal/agent/providertest && go test -count=1 -run TestProviders -args -table

.PHONY: bench-service
bench-service: ## print what reads, sends and open streams cost the service, next to bare SQLite and net/http, and a table next to the AI SDK
	@go run ./service/internal/bench

.PHONY: soak
soak: build ## cut answers at every byte, kill the service at 300 random moments, 10,000 streams in a page; takes half an hour
	CHROMIUM="$$(sh js/test/chromium.sh)" && export CHROMIUM && go test -count=1 -v -timeout 90m ./js/test/faults -args -soak
	go test -count=1 -v -run TestKilled -timeout 60m ./service/crash -args -kills 200 -stream-kills 100

.PHONY: soak-cluster
soak-cluster: ## break three replicas on PostgreSQL in 300 ways while 100 clients work, and count what is lost; takes an hour
	POSTGRES_BIN="$$(sh service/internal/store/postgres/pgtest/install.sh)" && export POSTGRES_BIN && \
		CI_POSTGRES=1 go test -count=1 -v -run TestReplicas -timeout 65m ./service/crash/replicas -args -faults 300

.PHONY: soak-tools
soak-tools: ## kill the service 500 times, and replicas 200 times, while tools are called and approved, and count what is lost or done twice; takes three quarters of an hour
	POSTGRES_BIN="$$(sh service/internal/store/postgres/pgtest/install.sh)" && export POSTGRES_BIN && \
		CI_POSTGRES=1 go test -count=1 -v -parallel 1 -timeout 100m ./service/crash/tools -args -kills 500 -replica-kills 200

.PHONY: wasm-coverage
wasm-coverage: ## run the tests in Node with a core that counts its functions, and fail if one that slim removes is reached
	sh js/build/slim/coverage.sh

.PHONY: compare
compare: build js/test/compare/node_modules/.package-lock.json ## put other clients and ChatSDK through the same faults and print a table
	@cd js/test/compare && go run .

js/test/%/node_modules/.package-lock.json: js/test/%/package.json js/test/%/package-lock.json
	cd js/test/$* && npm ci --silent
	@touch $@

.PHONY: bench
bench: build .build/bench.js .build/floor.wasm ## measure ChatSDK beside other clients in one Chromium, and write docs/performance.md; takes ten minutes
	CHROMIUM="$$(sh js/test/chromium.sh)" && export CHROMIUM && go test -count=1 -v -timeout 40m ./js/test/bench -args -full -write docs/performance.md

.build/bench.js: js/test/bench/page.js js/test/compare/node_modules/.package-lock.json
	@mkdir -p .build
	NODE_PATH=js/test/compare/node_modules $(ESBUILD) --bundle --minify --target=es2022 --format=esm --external:/dist/chatsdk.mjs --legal-comments=none --log-level=warning --outfile=$@ $<

.PHONY: knowledge-eval
knowledge-eval: ## print how well passages are found and questions answered; FOLDER=... for other data
	@go run ./service/internal/builtin/knowledge/eval $(FOLDER)

.PHONY: knowledge-fit
knowledge-fit: ## rebuild the weights of quotes from testdata, the same bytes each time
	@go run ./service/internal/builtin/knowledge/eval -fit

.PHONY: clean
clean: ## remove what is built
	rm -rf dist .build
	find service/internal/console/files -type f -not -name README.md -delete

# Inlining is kept where each chunk or each call across the border passes, and in the runtime: a browser
# compiles each function when it is first called, and a start so calls 290 fewer. Without a build id and
# the commit, equal sources have equal sizes.
INLINED := runtime internal/abi internal/chacha8rand internal/reflectlite internal/cpu math/bits internal/byteorder internal/stringslite\
	syscall/js internal/runtime/... unicode/utf8 bytes internal/bytealg strconv internal/strconv\
	github.com/hack-pad/safejs github.com/hack-pad/safejs/internal/catch $(addprefix github.com/chatsdk/chatsdk/sdk/,jsontext sse)
# Go's new garbage collector is for many processors. A page has one, and the old
# collector is 11 KB smaller after brotli. js/build/slim knows which layouts of Go's tables it can rewrite.
WASM_BUILD := GOOS=js GOARCH=wasm GOEXPERIMENT=nogreenteagc go build -buildvcs=false
WASM_FLAGS := -trimpath -ldflags='-s -w -buildid=' -gcflags=all=-l $(foreach p,$(INLINED),-gcflags=$(p)=)

# Removes from a linked wasm what no page reads. The maps in .build/maps say where a panic was.
SLIM := go run ./js/build/slim -maps .build/maps -traps js/build/slim/traps.txt
SLIM_SOURCES := js/build/slim/traps.txt $(shell find js/build/slim -name '*.go' -not -name '*_test.go')

dist/chatsdk.wasm: .build/linked.wasm $(SLIM_SOURCES)
	@mkdir -p dist
	$(SLIM) $< $@

.build/linked.wasm: $(GO_SOURCES) Makefile
	@mkdir -p .build
	$(WASM_BUILD) $(WASM_FLAGS) -o $@ ./wasm

# The licences of other people's code in dist/.
dist/THIRD-PARTY-NOTICES: js/build/notices.mjs $(GO_SOURCES) $(WASM_EXEC)
	@mkdir -p dist
	node js/build/notices.mjs $@

# chatsdk.wasm with a hook that fails in the ways a Go program can, for js/test.
.build/panictest.wasm: $(GO_SOURCES) $(SLIM_SOURCES) Makefile
	@mkdir -p .build
	$(WASM_BUILD) $(WASM_FLAGS) -tags panictest -o $@.linked ./wasm
	$(SLIM) $@.linked $@

.build/wasm_exec.mjs: $(WASM_EXEC) js/build/loader/main.go
	@mkdir -p .build
	go run ./js/build/loader $(WASM_EXEC) $@

# Node prints the whole line of an uncaught error, so lines are short. Those of the ES module end at 1,300 characters.
# The Go program knows the loader's names _pendingEvent and _makeFuncWrapper, so they stay.
LOADERS_OWN := '--mangle-props=^_(values|goRefCounts|ids|idPool|inst|exitPromise|resolveExitPromise|nextCallbackTimeoutID|scheduledTimeouts|resume)$$'
BUNDLE := $(ESBUILD) $(LOADERS_OWN) --bundle --minify --sourcemap --target=es2022 --alias:wasm_exec=./.build/wasm_exec.mjs --line-limit=350 --legal-comments=none --log-level=warning --define:VERSION='"$(shell sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)"'
# The files beside an entry, which it loads when it needs them.
PARTS := '--external:./chatsdk.*.mjs'

dist/chatsdk.mjs: $(JS_SOURCES) .build/wasm_exec.mjs package.json
	$(BUNDLE) $(PARTS) --define:SCRIPT=false --format=esm --outfile=$@ js/src/index.ts
	sed -i.bak -E 's~import\(([A-Za-z_$$][A-Za-z0-9_$$]*\()~import(/*webpackIgnore:true*//*@vite-ignore*/\1~' $@ && rm $@.bak # esbuild minifies these comments away

dist/chatsdk.js: $(JS_SOURCES) .build/wasm_exec.mjs package.json
	$(BUNDLE) $(PARTS) --define:SCRIPT=true --format=iife --define:import.meta.url=import_meta_url --inject:./js/src/script.ts --outfile=$@ js/src/global.ts

$(LATE): dist/chatsdk.%.mjs: js/src/%.ts $(JS_SOURCES) package.json
	@mkdir -p dist
	$(BUNDLE) $(PARTS) --define:SCRIPT=false --format=esm --outfile=$@ $<

# The worker's script, as a file and, without the address of its source map, as a text in the
# file that starts a worker, so that a worker needs no address.
WORKER = $(BUNDLE) --define:SCRIPT=false --log-override:empty-import-meta=silent --format=iife js/src/worker/main.ts

dist/chatsdk.worker.js: $(JS_SOURCES) .build/wasm_exec.mjs package.json
	$(WORKER) --outfile=$@

.build/chatsdk.worker.js: $(JS_SOURCES) .build/wasm_exec.mjs package.json
	$(subst --sourcemap,,$(WORKER)) --outfile=$@

dist/chatsdk.worker.mjs: .build/chatsdk.worker.js
	$(BUNDLE) --define:SCRIPT=false --alias:worker_source=./.build/chatsdk.worker.js --loader:.js=text --format=esm --outfile=$@ js/src/worker/remote.ts

# An entry imports "chatsdk" and the library that it is made for by name, and includes neither.
dist/%.mjs: $(JS_SOURCES) $(wildcard js/src/*/*.ts)
	@mkdir -p dist
	$(ESBUILD) --bundle --minify --sourcemap --target=es2022 --line-limit=350 --packages=external --legal-comments=none --log-level=warning --format=esm --outfile=$@ js/src/$*/index.ts

# Only the demo has demo.js, which gets its tokens.
.build/console.js: $(wildcard examples/03-memory-console/*.js examples/01-script-tag/*.js)
	@mkdir -p .build
	$(ESBUILD) --bundle --minify --target=es2022 --format=esm --external:/dist/chatsdk.mjs --external:./demo.js --legal-comments=none \
		--log-level=warning --outfile=$@ examples/03-memory-console/console.js

.build/types/index.d.ts: $(JS_SOURCES) $(wildcard js/src/*/*.ts) tsconfig.json node_modules/.package-lock.json
	npx tsc -p . --noEmit false --declaration --emitDeclarationOnly --stripInternal --outDir .build/types
	@touch $@

dist/chatsdk.d.ts: .build/types/index.d.ts js/build/types.mjs
	@mkdir -p dist
	node js/build/types.mjs .build/types $@ errors types memories tools options stream \
		chat-methods answer-methods document-methods memory-methods call-methods client

dist/chatsdk.wasm.d.ts: js/build/wasm.d.ts
	@mkdir -p dist
	cp $< $@

dist/%.d.ts: .build/types/index.d.ts js/build/types.mjs
	@mkdir -p dist
	node js/build/types.mjs .build/types $@ $(patsubst js/src/%.ts,%,$(wildcard js/src/$*/*.ts))

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --silent
	@touch $@
