# What is done with this repository; `make` lists it.

# A clone may belong to somebody else than the one who builds it. Git then tells
# Go nothing of its version, and without -buildvcs=false Go would refuse to build.
# With -trimpath a clone uses what another one has compiled, wherever the two are.
export GOFLAGS := $(GOFLAGS) -buildvcs=false -trimpath
# Not one that happens to lie around the clone, and not "off".
export GOWORK := $(CURDIR)/go.work

# Go verifies each of them by its checksum database.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
RELEASE_TOOLS := \
	github.com/goreleaser/goreleaser/v2@v2.17.0 \
	github.com/anchore/syft/cmd/syft@v1.57.0 \
	github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3

# Settings, such as `make fuzz FUZZTIME=10s`.
TESTFLAGS ?=
SELFTESTFLAGS ?=
FUZZTIME ?= 1m
SOAKRUNS ?= 20
BOOKINGS ?= 1000
SEED ?= 11
DEPTH ?= 3
DOCS ?= all

# The folders of the modules that hold Go files.
MODULES = $(shell for module in $$(go list -m -f '{{.Dir}}'); do \
	[ -z "$$(find $$module -name '*.go')" ] || echo $$module; done)
COMMANDS = $(patsubst %/,./%,$(sort $(dir $(wildcard $(addsuffix /cmd/*/*.go,mockpartner conformance marketplace)))))

.PHONY: help
help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: need-go demo-build ## the whole story, step by step: a partner, the suite, a marketplace, bookings, trouble; leaves .demo/
	@build/demo

.PHONY: up
up: need-go demo-build ## a marketplace and a mock partner with some bookings, to try things with, until Ctrl-C
	@build/demo up

.PHONY: demo-build
demo-build: need-go
	@echo "Building four commands; the first time this downloads modules and takes a minute or two."
	@CGO_ENABLED=0 go build -o build/ ./mockpartner/cmd/mockpartner ./conformance/cmd/conformance ./marketplace/cmd/marketplace ./examples/cmd/demo

# -count=1: some tests build and run the commands of other modules, and Go, which
# does not see that, would take yesterday's result for today's.
# atexit_sleep_ms: else the race detector waits a second at the end of each package.
# -p: many wait for partners, browsers and databases most of the time.
.PHONY: test
test: need-cc check ## all that a change must pass: make check, then every test with the race detector
	@echo "== tests"
	@CGO_ENABLED=1 GORACE=atexit_sleep_ms=50 go test -race -vet=off -count=1 -timeout 30m -p $$(($$(getconf _NPROCESSORS_ONLN) + 2)) $(TESTFLAGS) work
	@go test -vet=off -count=1 $(TESTFLAGS) ./marketplace/internal/booking/schedules

.PHONY: selftest
selftest: need-go ## prove the suite on every defect and variant of the mock partner; takes minutes
	@echo "== selftest"
	@CGO_ENABLED=0 go build -o build/ ./conformance/cmd/conformance
	@build/conformance selftest --report-dir build/selftest $(SELFTESTFLAGS)

# What `make test` does in a short form, at its full length.
.PHONY: soak
soak: need-cc ## judge a partner with 50 other customers SOAKRUNS (20) times, and as often with each of three defects; every network fault and hostile answer on every endpoint, and the longest ones; tour every defect of the mock
	@echo "== soak"
	@SOAK=$(SOAKRUNS) go test -v -count=1 -timeout 30m -run 'OtherCustomers|NetworkFault|HostileEndpoint|MillionsOf|SingleLate|RunIsKilled' $(TESTFLAGS) ./conformance/cmd/conformance
	@SOAK=$(SOAKRUNS) CGO_ENABLED=1 go test -race -count=1 -timeout 30m -run EveryDefect $(TESTFLAGS) ./mockpartner

.PHONY: crash
crash: need-go ## BOOKINGS (1000) bookings while replicas, their connections and PostgreSQL fail in twelve ways, then as many customers for 50 seats; takes ten minutes
	@echo "== crash"
	@CRASH=$(BOOKINGS) CRASH_SEED=$(SEED) go test -v -parallel 1 -count=1 -timeout 30m $(TESTFLAGS) ./marketplace/internal/crash

.PHONY: schedules
schedules: need-go ## play every schedule of DEPTH (3) pauses, lost replies and failures around a booking, and random ones far deeper; takes minutes
	@echo "== schedules"
	@SCHEDULES=$(DEPTH) go test -v -count=1 -timeout 60m $(TESTFLAGS) ./marketplace/internal/booking/schedules

# DOCS=docs/scaling.md follows one of them.
.PHONY: docs-test
docs-test: need-go ## follow every document (DOCS: all) as a reader would, command by command
	@echo "== documents"
	@DOCS=$(DOCS) CGO_ENABLED=0 go test -v -count=1 -timeout 60m $(TESTFLAGS) ./examples/docstest

.PHONY: pictures
pictures: demo ## draw the pictures of the README anew, from what they show; wants a Chromium
	@CGO_ENABLED=0 go run ./examples/cmd/pictures

.PHONY: check
check: format modules vet staticcheck ## what needs no test: gofmt, tidy modules, go vet, staticcheck

.PHONY: build
build: need-go ## build the commands into build/
	@CGO_ENABLED=0 go build -o build/ $(COMMANDS)
	@ls $(patsubst %,build/%,$(notdir $(COMMANDS)))

.PHONY: man
man: build ## write man pages and completions into build/man and build/completions
	@mkdir -p build/completions
	@for command in $(notdir $(COMMANDS)); do \
		build/$$command man build/man || exit 1; \
		for shell in bash zsh fish powershell; do build/$$command completion $$shell > build/completions/$$command.$$shell || exit 1; done; \
	done

# Of every module that is in a command, on any system.
.PHONY: licenses
licenses: need-go ## collect the licences of all modules that the commands hold in build/licenses
	@rm -rf build/licenses; mkdir -p build/licenses
	@for system in linux darwin windows; do \
		GOOS=$$system CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' $(COMMANDS) || exit 1; \
	done | sort -u | while read -r module version folder; do \
		texts=$$(find "$$folder" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) ! -name '*.go'); \
		[ -n "$$texts" ] || { echo "$$module $$version has no licence"; exit 1; }; \
		mkdir -p "build/licenses/$$module"; cp $$texts "build/licenses/$$module/"; chmod -R u+w "build/licenses/$$module"; \
		echo "$$module $$version"; \
	done

.PHONY: release-tools
release-tools: need-go ## build what makes, lists and signs a release into build/tools
	@for tool in $(RELEASE_TOOLS); do echo "== $$tool"; GOBIN=$(CURDIR)/build/tools CGO_ENABLED=0 go install $$tool || exit 1; done

# Vetting compiles everything else as well, the demo and the tests among it.
.PHONY: cross
cross: need-go ## compile the commands for Linux, macOS and Windows, on amd64 and arm64, and vet all for both others
	@for system in linux darwin windows; do for machine in amd64 arm64; do \
		echo "== $$system/$$machine"; \
		GOOS=$$system GOARCH=$$machine CGO_ENABLED=0 go build $(COMMANDS) || exit 1; \
	done; done
	@for system in darwin windows; do \
		echo "== go vet for $$system"; \
		GOOS=$$system CGO_ENABLED=0 go vet work || exit 1; \
	done

.PHONY: bench
bench: need-go ## run every benchmark, one package after another
	@packages=$$(grep -rl --include='*_test.go' '^func Benchmark' $(MODULES) | xargs -r -n 1 dirname | sort -u); \
	if [ -z "$$packages" ]; then echo "there are no benchmarks"; exit 0; fi; \
	go test -p 1 -run '^$$' -bench . -benchmem $(TESTFLAGS) $$packages

# -fuzzminimizetime: else one find that is hard to make shorter takes all the time.
.PHONY: fuzz
fuzz: need-go ## fuzz every parser for FUZZTIME (1m) each
	@fuzz=$$(grep -r --include='*_test.go' '^func Fuzz' $(MODULES)); \
	if [ -z "$$fuzz" ]; then echo "there are no fuzz tests"; exit 0; fi; \
	echo "$$fuzz" | sed 's|/[^/]*_test\.go:func \(Fuzz[A-Za-z0-9_]*\).*| \1|' | while read -r package name; do \
		echo "== $$name"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$package" </dev/null || exit 1; \
	done

.PHONY: tidy
tidy: need-go ## bring every go.mod and go.sum up to date
	@for module in $(MODULES); do (cd $$module && GOWORK=off go mod tidy) || exit 1; done

.PHONY: clean
clean: ## remove what was built and the demo's reports
	@rm -rf build .demo

.PHONY: format
format: need-go
	@echo "== gofmt"
	@unformatted=$$("$$(go env GOROOT)/bin/gofmt" -l $(MODULES)) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi

# Each module by its own go.mod, as whoever requires it will build it.
.PHONY: modules
modules: need-go
	@for module in $(MODULES); do \
		echo "== go mod tidy: $$(basename $$module)"; \
		(cd $$module && GOWORK=off go mod tidy -diff) || { echo "not tidy: run make tidy"; exit 1; }; \
	done

# Vetting a package compiles it, its tests and all it imports: no build apart is needed.
# -race: with an empty cache, what vet and staticcheck compile serves the tests as well.
.PHONY: vet
vet: need-cc
	@echo "== go vet"
	@CGO_ENABLED=1 go vet -race work

.PHONY: staticcheck
staticcheck: need-cc
	@echo "== staticcheck"
	@CGO_ENABLED=1 GOFLAGS="$$GOFLAGS -race" STATICCHECK_CACHE="$$(go env GOCACHE)/staticcheck" go run -race=false $(STATICCHECK) work

# What a target needs of the machine is looked for before anything runs, and what
# is missing is named in one line.

GO_WANTED = $(shell sed -n 's/^go //p' go.work)
GO_FOUND = $(shell { go env GOVERSION 2>/dev/null || (cd / && GOTOOLCHAIN=local go env GOVERSION); } | sed 's/.*go\([0-9][0-9.]*\).*/\1/')
OLDER = $(firstword $(shell printf '%s\n' $(GO_WANTED) $(GO_FOUND) | sort -V))
missing = $(error make $(or $(MAKECMDGOALS),help): $(1))

.PHONY: need-go
need-go:
	@$(if $(shell command -v go 2>/dev/null),,$(call missing,no Go found: install Go $(GO_WANTED) or newer))
	@$(if $(filter $(GO_WANTED),$(OLDER)),,$(call missing,Go $(GO_FOUND) is too old: install Go $(GO_WANTED) or newer))

.PHONY: need-cc
need-cc: need-go
	@$(if $(shell command -v $$(go env CC) 2>/dev/null),,$(call missing,no C compiler ($(shell go env CC)) found; -race needs one: install gcc))
	@$(if $(shell echo '#include <stdlib.h>' | $$(go env CC) -fsyntax-only -x c - >/dev/null 2>&1 && echo yes),,$(call missing,the C compiler ($(shell go env CC)) finds no C library; -race needs one: install libc6-dev))
