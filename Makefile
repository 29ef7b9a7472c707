# Tasks for this repository; `make` lists them.

# A clone may belong to a user other than the one who builds it. Git then gives Go no
# version, and without -buildvcs=false Go refuses to build. With -trimpath clones in
# different folders share the build cache.
export GOFLAGS := $(GOFLAGS) -buildvcs=false -trimpath
# Not a workspace of a parent folder, and not "off".
export GOWORK := $(CURDIR)/go.work

# Go verifies each of them by its checksum database.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
SQUAWK := squawk-cli@2.66.0

# Settings, such as `make fuzz FUZZTIME=10s`.
TESTFLAGS ?=
SELFTESTFLAGS ?=
FUZZTIME ?= 1m
SOAKRUNS ?= 20
BOOKINGS ?= 1000
PARTNERS ?= 1000
SEED ?= 11
DEPTH ?= 3
KILLS ?= 100
CALLS ?= 100000
FAILOVERS ?= 20
DOCS ?= all

# The folders of the modules that hold Go files.
MODULES = $(shell for module in $$(go list -m -f '{{.Dir}}'); do \
	[ -z "$$(find $$module -name '*.go')" ] || echo $$module; done)
COMMANDS = $(patsubst %/,./%,$(sort $(dir $(wildcard $(addsuffix /cmd/*/*.go,mockpartner conformance marketplace octobridge)))))

.PHONY: help
help:
	@for group in use change prove release; do \
		echo "$$group:"; \
		awk -F ":.*## $$group: " '/^[a-z-]+:.*## / && NF == 2 { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST); \
	done

.PHONY: demo
demo: demo-build ## use: run the end-to-end demo, which leaves its reports in .demo/
	@build/demo

.PHONY: up
up: demo-build ## use: run a marketplace and a mock partner with sample bookings until Ctrl-C
	@build/demo up

.PHONY: demo-build
demo-build: need-go
	@echo "Building the commands; the first time this downloads modules and takes a minute or two."
	@CGO_ENABLED=0 go build -o build/ ./mockpartner/cmd/mockpartner ./conformance/cmd/conformance ./marketplace/cmd/marketplace ./examples/cmd/demo ./marketplace/internal/pgembed/prepare
	@build/prepare

# Chooses a temporary folder in memory, and removes it at the end. The databases, browsers and
# commands of the tests write several GB, which on disk takes a fifth of the tests' time. Another
# user, who runs PostgreSQL for root, has to get through the folder. It is not chosen where
# TMPDIR is set, 8 GB are not free, or programs may not run there. Its name is the same at each run of a
# clone, because Go uses no stored result of tests that have seen another name. A folder of
# this name is left over if the process that made it is gone.
define in_memory
if [ -z "$$TMPDIR" ] && [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $$4 }')" -gt 8000000 ] 2>/dev/null; then \
	scratch=/dev/shm/partnerkit-$$(id -u)-$$(pwd | cksum | cut -d ' ' -f 1); \
	if [ -O "$$scratch" ] && ! kill -0 "$$(cat "$$scratch/pid")" 2>/dev/null; then rm -rf "$$scratch"; fi; \
	mkdir "$$scratch" 2>/dev/null || scratch=$$(mktemp -d /dev/shm/partnerkit-XXXXXX) && trap 'rm -rf "$$scratch"' EXIT && trap 'exit 130' INT TERM && \
	echo $$$$ >"$$scratch/pid" && chmod 711 "$$scratch" && printf '#!/bin/sh\n' >"$$scratch/true" && chmod +x "$$scratch/true" && "$$scratch/true" && \
	export TMPDIR="$$scratch"; \
fi
endef

# Sets SOURCES_x for each top-level folder x, and SOURCES for all files: package sourcetest.
define sources
checksum() { find "$$@" -type f -exec cksum {} + | LC_ALL=C sort | cksum | tr ' ' -; }; \
for folder in [a-z]*; do if [ -d $$folder ] && [ $$folder != build ]; then export SOURCES_$$folder=$$(checksum $$folder); fi; done; \
export SOURCES=$$(checksum . ! -path './build/*' ! -path './.git/*' ! -path './.demo/*')
endef

linked = -toolexec="'$(CURDIR)/build/linked'"

# Go uses the stored results of packages that cannot have changed; TESTFLAGS=-count=1 runs all.
# -p: many tests mostly wait for partners, browsers and databases.
# -ldflags=-s: linking without the tables for debuggers and symbols takes less time.
# -toolexec: without it Go links the tests of every package that runs, even where nothing has changed.
# A list of skipped tests with another name each time: tests that were skipped have read it, and so are run again.
# GOGC: collecting garbage more seldom takes a quarter less CPU time, and more memory, up to GOMEMLIMIT.
# PostgreSQL is downloaded first if the machine has none. Without it, tests are skipped.
define run_tests
@CGO_ENABLED=0 go build -o build/ ./marketplace/internal/pgembed/prepare ./internal/linked
@build/prepare || true
@$(in_memory); $(sources); rm -f build/skipped-*; export SKIPPED_TESTS=$(CURDIR)/build/skipped-$$$$; \
{ go test -vet=off -timeout 30m -p $$(($$(getconf _NPROCESSORS_ONLN) + 2)) $(1) $(TESTFLAGS) work 2>&1; echo $$? >build/tests.code; } | tee build/tests.log; \
sh internal/tooltest/summary.sh build/tests.log "$$SKIPPED_TESTS"; exit $$(cat build/tests.code)
endef

.PHONY: test
test: export GOFLAGS += -ldflags=-s
test: export CGO_ENABLED = 0
test: export GOGC = 800
test: export GOMEMLIMIT = 1GiB
test: check ## change: check and test everything that a change must pass; needs Go and make only
	@echo "== tests"
	$(call run_tests,$(linked))

# atexit_sleep_ms: otherwise the race detector waits a second at the end of each package.
# TESTFLAGS=-short leaves out the tests in a browser, of built commands and of documents, which
# the race detector does not see, and long ones that do one thing at a time.
.PHONY: race
race: export GOFLAGS += -ldflags=-s
race: export CGO_ENABLED = 1
race: export GORACE = atexit_sleep_ms=50
race: need-cc ## prove: run every test with the race detector; needs a C compiler
	@echo "== tests with the race detector"
	$(call run_tests,-race)

.PHONY: selftest
selftest: need-go ## prove: test the suite with every defect and variant of the mock partner
	@echo "== selftest"
	@CGO_ENABLED=0 go build -o build/ ./conformance/cmd/conformance
	@build/conformance selftest --report-dir build/selftest $(SELFTESTFLAGS)

.PHONY: selftest-short
selftest-short: ## prove: test the suite with one defect for each rule, and a sample of the rest
	@$(MAKE) --no-print-directory selftest SELFTESTFLAGS='--fast --sample 6 $(SELFTESTFLAGS)'

# A new partner is certified in the browser, partners are checked again for a night, other makers'
# tools build and generate clients and judge pages, and the service starts in hostile surroundings, one by one.
# Each takes minutes, mostly waiting.
.PHONY: journeys
journeys: need-go ## prove: run the tests that take minutes
	@echo "== journeys"
	@JOURNEYS=1 CGO_ENABLED=0 go test -v -count=1 -timeout 30m -run 'ANewPartner|ClientsInOtherLanguages|OtherMakersLinters|MinimalPartners|ANightFinds|Lighthouse|HostileSurroundings' $(TESTFLAGS) ./examples ./marketplace/cmd/marketplace ./marketplace/internal/worker ./marketplace/internal/console

# The full form of what `make test` does briefly: a partner with 50 other customers SOAKRUNS times,
# and again with each of three defects; every network fault, lost race and hostile answer; every defect of the
# mock, in runs and in recordings of them, and the frozen kill matrix; every trace of six acts; the minimal partners in depth; twins of all partners; a
# night with 300 partners, 30 of which break; 20,000 random calls of the marketplace's API.
.PHONY: soak
soak: need-cc ## prove: run the long forms of the tests, SOAKRUNS (20) times; takes hours
	@echo "== soak"
	@SOAK=$(SOAKRUNS) go test -v -count=1 -timeout 30m -run 'OtherCustomers|NetworkFault|HostileEndpoint|RunIsKilled|NowAndThen|ClosedBetween|ClonedRepository' $(TESTFLAGS) ./conformance/cmd/conformance ./conformance/suitetest
	@CGO_ENABLED=0 go build -o build/ ./conformance/cmd/conformance
	@build/conformance selftest --recorded --report-dir build/soak
	@SOAK=1 go test -v -count=1 -timeout 90m -run 'EveryLawfulTrace|KillMatrix' $(TESTFLAGS) ./conformance/internal/judge ./conformance/internal/selftest
	@SOAK=$(SOAKRUNS) go test -count=1 -timeout 30m -run WindowsOfLawful $(TESTFLAGS) ./conformance/internal/traffic
	@SOAK=$(SOAKRUNS) go test -v -count=1 -timeout 30m -run 'MinimalPartners|ATwinGets' $(TESTFLAGS) ./examples
	@SOAK=$(SOAKRUNS) nice go test -v -count=1 -timeout 150m -run ANightFinds $(TESTFLAGS) ./marketplace/internal/worker
	@CALLS=20000 SEED=$(SEED) go test -v -count=1 -timeout 30m -run RandomCalls $(TESTFLAGS) ./marketplace/internal/api

.PHONY: crash
crash: need-go ## prove: make BOOKINGS (1000) bookings while replicas, connections and PostgreSQL fail
	@echo "== crash"
	@CRASH=$(BOOKINGS) CRASH_SEED=$(SEED) go test -v -parallel 1 -count=1 -timeout 30m $(TESTFLAGS) ./marketplace/internal/crash

# The full form of what `make test` does briefly: the suite at depth standard and the mock's defects
# behind a bridge; a bridge that is killed KILLS times; its cost and memory over CALLS calls.
.PHONY: bridge
bridge: need-go ## prove: test the bridge to OCTO suppliers in full, with KILLS (100) kills and CALLS (100000) calls
	@echo "== bridge"
	@BRIDGE=1 KILLS=$(KILLS) SEED=$(SEED) CALLS=$(CALLS) CGO_ENABLED=0 go test -v -count=1 -timeout 60m $(TESTFLAGS) ./octobridge/...

# It needs Linux, PostgreSQL, and the packages patroni, etcd-server, haproxy, pgbouncer and iproute2.
.PHONY: failover
failover: need-go ## prove: make bookings while the database of examples/patroni fails over FAILOVERS (20) times
	@echo "== failover"
	@FAILOVERS=$(FAILOVERS) CRASH_SEED=$(SEED) CGO_ENABLED=0 go test -v -count=1 -timeout 120m -run FailsOver $(TESTFLAGS) ./marketplace/internal/crash

.PHONY: schedules
schedules: need-go ## prove: run every schedule with up to DEPTH (3) pauses and failures around a booking
	@echo "== schedules"
	@SCHEDULES=$(DEPTH) go test -v -count=1 -timeout 60m $(TESTFLAGS) ./marketplace/internal/booking/schedules

# Partners answer from one handler, so that there may be thousands. It needs some GB of disk.
.PHONY: scale
scale: need-go ## prove: measure the costs with up to PARTNERS (1000) partners of 100 activities each
	@echo "== scale"
	@SCALE=$(PARTNERS) CGO_ENABLED=0 go test -v -count=1 -timeout 90m -run '^$$' -bench Scale -benchtime 1x $(TESTFLAGS) ./marketplace/internal/scale

# It needs the package pgbouncer.
.PHONY: pooled
pooled: need-go ## prove: run the marketplace's tests with a pooler in transaction mode before PostgreSQL
	@echo "== through a pooler"
	@$(in_memory); POOLED=1 CGO_ENABLED=0 go test -count=1 -timeout 15m $(TESTFLAGS) ./marketplace/internal/api ./marketplace/internal/postgres ./marketplace/internal/worker

# For example DOCS=docs/scaling.md.
.PHONY: docs-test
docs-test: need-go ## prove: run the commands of every document, or of those in DOCS
	@echo "== documents"
	@DOCS=$(DOCS) CGO_ENABLED=0 go test -v -count=1 -timeout 60m $(TESTFLAGS) ./examples/docstest

# It needs npm, and Python with httpx, PyYAML and mypy.
.PHONY: clients
clients: need-go ## change: generate the clients in other languages, and test them
	@cd examples && go test -count=1 -run TestClientsInOtherLanguages . -update

.PHONY: pictures
pictures: demo ## change: update the pictures in the README; needs Chromium
	@CGO_ENABLED=0 go run ./examples/cmd/pictures

.PHONY: check
check: format wording modules vet staticcheck squawk ## change: check formatting, words, modules and migrations, with go vet and staticcheck

.PHONY: build
build: need-go ## use: build the commands into build/
	@CGO_ENABLED=0 go build -o build/ $(COMMANDS)
	@ls $(patsubst %,build/%,$(notdir $(COMMANDS)))

# Vetting also compiles everything else, including the demo and the tests.
.PHONY: cross
cross: need-go ## prove: compile for Linux, macOS and Windows on amd64 and arm64
	@for system in linux darwin windows; do for machine in amd64 arm64; do \
		echo "== $$system/$$machine"; \
		GOOS=$$system GOARCH=$$machine CGO_ENABLED=0 go build $(COMMANDS) || exit 1; \
	done; done
	@for system in darwin windows; do \
		echo "== go vet for $$system"; \
		GOOS=$$system CGO_ENABLED=0 go vet work || exit 1; \
	done

BENCHMARKS = $(shell grep -rl --include='*_test.go' '^func Benchmark' $(MODULES) | xargs -n 1 dirname | sort -u)

.PHONY: bench
bench: need-go ## prove: run every benchmark, one package after another
	@go test -p 1 -timeout 60m -run '^$$' -bench . -benchmem $(TESTFLAGS) $(BENCHMARKS)

# Built like the tests, whose programs it uses.
.PHONY: bench-once
bench-once: export GOFLAGS += -ldflags=-s
bench-once: export CGO_ENABLED = 0
bench-once: need-go ## prove: run every benchmark once in a small form, which measures nothing
	@echo "== benchmarks"
	@go build -o build/ ./internal/linked
	@$(in_memory); go test -vet=off -short -count=1 -timeout 30m $(linked) -run '^$$' -bench . -benchtime 1x $(TESTFLAGS) $(BENCHMARKS)

# -fuzzminimizetime: otherwise minimizing one input can take all the time.
.PHONY: fuzz
fuzz: need-go ## prove: fuzz every parser for FUZZTIME (1m) each
	@fuzz=$$(grep -r --include='*_test.go' '^func Fuzz' $(MODULES)); \
	if [ -z "$$fuzz" ]; then echo "there are no fuzz tests"; exit 0; fi; \
	echo "$$fuzz" | sed 's|/[^/]*_test\.go:func \(Fuzz[A-Za-z0-9_]*\).*| \1|' | while read -r package name; do \
		echo "== $$name"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$package" </dev/null || exit 1; \
	done

.PHONY: tidy
tidy: need-go ## change: update every go.mod and go.sum
	@for module in $(MODULES); do (cd $$module && GOWORK=off go mod tidy) || exit 1; done

.PHONY: clean
clean: ## change: remove build results and the demo's reports
	@rm -rf build .demo

# internal/wording/words.txt lists the words, and the better ones.
.PHONY: wording
wording: need-go
	@echo "== wording"
	@go run ./internal/wording .

.PHONY: format
format: need-go
	@echo "== gofmt"
	@unformatted=$$("$$(go env GOROOT)/bin/gofmt" -l $(MODULES)) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi

# Each module with its own go.mod, as a user who requires it builds it.
.PHONY: modules
modules: need-go
	@for module in $(MODULES); do \
		echo "== go mod tidy: $$(basename $$module)"; \
		(cd $$module && GOWORK=off go mod tidy -diff) || { echo "not tidy: run make tidy"; exit 1; }; \
	done

# Vetting a package compiles it, its tests and its imports, so no separate build is needed.
# Without cgo, like the tests, which then reuse what vet and staticcheck compile.
.PHONY: vet
vet: need-go
	@echo "== go vet"
	@CGO_ENABLED=0 go vet work

.PHONY: staticcheck
staticcheck: need-go
	@echo "== staticcheck"
	@CGO_ENABLED=0 STATICCHECK_CACHE="$$(go env GOCACHE)/staticcheck" go run $(STATICCHECK) work

# Reads each migration up to its Down part, from the first one on that was written for tables
# in use. Left out are rules about statements that are run again (indexes are dropped first),
# about a time limit for each (an index takes as long as it takes), and about the size of
# integers. Without npm, or an answer from it, nothing is read, and the output says so.
.PHONY: squawk
squawk:
	@echo "== squawk"
	@rm -rf build/squawk; mkdir -p build/squawk
	@for migration in marketplace/internal/postgres/migrations/*.sql; do \
		[ "$$(basename $$migration)" \< 00014 ] || sed '/+goose Down/,$$d' $$migration > build/squawk/$$(basename $$migration); \
	done
	@if ! command -v npx >/dev/null; then echo "SKIPPED: no npx found: install npm"; \
	elif ! npx --yes $(SQUAWK) --version >/dev/null 2>&1; then echo "SKIPPED: $(SQUAWK) cannot be fetched from npm"; \
	else npx --yes $(SQUAWK) --pg-version 14.0 --exclude=prefer-robust-stmts,require-statement-timeout,prefer-bigint-over-int build/squawk/*.sql; fi

include packaging/release.mk

# Each target checks the machine's tools first, and names what is missing in one line.

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
