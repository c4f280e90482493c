# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
#
# Every job of the project, as one word. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test check format lint structure build-tests build install install-files uninstall bench bench-serialization bench-session \
    bench-downloads bench-command-line docs docs-site relay-service record-demo test-program tsan fuzz soak big crash interop clean

PREFIX ?= /usr/local
SWIFT ?= swift

# The checks treat warnings as errors and refuse an import that the manifest does not name. Build, tests and examples
# share these flags word for word, because SwiftPM builds everything anew when they differ.
# SwiftPM writes the flags of traits in the order of a set, another one each time unless hashing is fixed, and then builds
# everything anew; the tests themselves run with the usual hashing.
CHECKED := BLUEBONNET_CI=1 $(SWIFT)
CHECKED_BUILD := SWIFT_DETERMINISTIC_HASHING=1 $(CHECKED) build
CHECK_FLAGS := --explicit-target-dependency-import-check error
RUN_TESTS := SWIFT="$(SWIFT)" scripts/run-tests

# What people run: optimised, and with the Swift runtime inside, so that it runs where there is no toolchain.
# TRAITS adds what is left out: TRAITS=ImageCodecs,Brotli; each needs a library of the system, at run time, too.
TRAITS ?=
# Each function has a section of its own, and public ones are not kept for modules that are not there: so the linker leaves out those that
# nobody calls, and keeps one of those that are the same. Swift's part is made small: what decides the speed of a transfer is the system and
# the ciphers, in C.
SMALL_FLAGS := -Xswiftc -Osize $(foreach flag,-function-sections -internalize-at-link,-Xswiftc -Xfrontend -Xswiftc $(flag)) \
    $(foreach language,cc cxx,-X$(language) -ffunction-sections -X$(language) -fdata-sections) \
    -Xswiftc -use-ld=lld -Xlinker -O2 -Xlinker --icf=all -Xlinker -T -Xlinker $(CURDIR)/scripts/program.ld
# The list of addresses to fill in at the start is a tenth as long in this form, which the GNU C library reads from 2.36 on.
LIBC := $(lastword $(shell getconf GNU_LIBC_VERSION 2>/dev/null))
ifneq ($(LIBC),)
ifeq ($(shell printf '%s\n' 2.36 $(LIBC) | sort -V | head -n 1),2.36)
SMALL_FLAGS += -Xlinker -z -Xlinker pack-relative-relocs
endif
endif
RELEASE_FLAGS := -c release --static-swift-stdlib --product bluebonnet $(if $(TRAITS),--traits $(TRAITS)) \
    -Xlinker --version-script=$(CURDIR)/scripts/exports.map $(SMALL_FLAGS)
RELEASE_BINARY := .build/release/bluebonnet

# What install puts below PREFIX/share; the binary makes them from the definitions of its options.
SHARED_FILES := man/man1/bluebonnet.1 bash-completion/completions/bluebonnet zsh/site-functions/_bluebonnet \
    fish/vendor_completions.d/bluebonnet.fish

# Examples/relay-service is a package with a build folder of its own.
SWIFT_TREES := $(wildcard Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz \
    Examples/*/*.swift Examples/relay-service/Sources Examples/relay-service/Tests)

# A comma that may stand in an argument of a function.
, := ,

say = @printf '\n==> %s\n' "$(1)"

help: ## Lists the targets.
	@echo "Bluebonnet: an HTTP client library for Swift, and a command line client."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PREFIX (for install and uninstall) is $(PREFIX)."
	@echo "  TRAITS (for build, install and demo) adds ImageCodecs, HEIF, Brotli or Zstandard, with commas between them."

demo: ## Sets up what is missing, builds the command line client, and runs its main job against an embedded server.
	$(call say,Looking for missing system packages)
	@scripts/setup build
	$(call say,Building the release binary: a few minutes the first time)
	@$(SWIFT) build $(RELEASE_FLAGS)
	$(call say,Running: bluebonnet demo)
	@$(RELEASE_BINARY) demo

test: ## Sets up what is missing, then runs every check: format, structure, build, release, tests, examples, README, documentation.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	@$(MAKE) --no-print-directory lint structure build-tests
	$(call say,Compiling what fuzzes the parsers)
	@scripts/fuzz --check
	$(call say,Compiling every module as a release build does)
	@scripts/check-release
	$(call say,Running the tests)
	@$(RUN_TESTS)
	$(call say,Sending and receiving large files with a bounded amount of memory)
	@scripts/check-memory
	$(call say,Compiling the Swift blocks of the documents$(,) and the call sites that must compile and must not)
	@scripts/check-readme
	@scripts/check-call-sites
	$(call say,Checking the documentation of every public declaration)
	@scripts/check-docs
	@printf '\n==> Every check has passed.\n'

check: ## The quick half of test, for before a commit: format, structure, build with warnings as errors.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	@$(MAKE) --no-print-directory lint structure build-tests
	$(call say,Compiling what fuzzes the parsers)
	@scripts/fuzz --check
	@printf '\n==> The quick checks have passed; make test runs the rest.\n'

format: ## Formats every Swift file in place.
	$(call say,Formatting $(SWIFT_TREES))
	@$(SWIFT) format format --in-place --parallel --recursive $(SWIFT_TREES)

lint:
	$(call say,Checking the format of $(SWIFT_TREES))
	@$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_TREES)

structure:
	$(call say,Checking licence headers$(,) folder names$(,) file sizes and imports)
	@scripts/check-structure

build-tests:
	$(call say,Building library$(,) command line$(,) examples and tests with warnings as errors)
	@$(CHECKED_BUILD) --build-tests $(CHECK_FLAGS)

build: ## Builds the release binary, with the Swift runtime linked statically.
	$(call say,Looking for missing system packages)
	@scripts/setup build
	$(call say,Building the release binary)
	@$(SWIFT) build $(RELEASE_FLAGS)
	@ls -l $(RELEASE_BINARY)

install: build ## Builds the release binary and installs it below PREFIX, with its manual page and the completions of shells.
	@scripts/check-linkage $(RELEASE_BINARY)
	@$(MAKE) --no-print-directory install-files

install-files:
	$(call say,Installing $(DESTDIR)$(PREFIX)/bin/bluebonnet)
	@install -d "$(DESTDIR)$(PREFIX)/bin" && install -m 755 "$(RELEASE_BINARY)" "$(DESTDIR)$(PREFIX)/bin/bluebonnet" || \
	    { echo "install: cannot write there; try another PREFIX (make install PREFIX=\"\$$HOME/.local\", whose bin has to be in PATH) or run as root" >&2; exit 1; }
	@if command -v strip >/dev/null; then strip "$(DESTDIR)$(PREFIX)/bin/bluebonnet"; fi
	$(call say,Installing the manual page and the completions of bash$(,) zsh and fish below $(DESTDIR)$(PREFIX)/share)
	@for file in $(SHARED_FILES); do install -d "$(DESTDIR)$(PREFIX)/share/$$(dirname $$file)"; done
	@"$(RELEASE_BINARY)" manual >"$(DESTDIR)$(PREFIX)/share/man/man1/bluebonnet.1"
	@"$(RELEASE_BINARY)" --generate-completion-script bash >"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/bluebonnet"
	@"$(RELEASE_BINARY)" --generate-completion-script zsh >"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_bluebonnet"
	@"$(RELEASE_BINARY)" --generate-completion-script fish >"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/bluebonnet.fish"

uninstall: ## Removes what install has put below PREFIX.
	$(call say,Removing $(DESTDIR)$(PREFIX)/bin/bluebonnet$(,) its manual page and its completions)
	@rm -f "$(DESTDIR)$(PREFIX)/bin/bluebonnet"
	@for file in $(SHARED_FILES); do rm -f "$(DESTDIR)$(PREFIX)/share/$$file"; done

bench: ## Measures Bluebonnet beside AsyncHTTPClient, URLSession and curl, in one run on this machine.
	$(call say,Looking for missing system packages)
	@scripts/setup bench
	$(call say,Building the benchmarks in release mode: several minutes the first time)
	@$(SWIFT) build -c release --package-path Benchmarks
	$(call say,Measuring$(,) each peer in a process of its own)
	@Benchmarks/run $(BENCH_ARGUMENTS)

bench-serialization: ## Measures queries, JSON and multipart forms beside Foundation, memcpy and read, and prints a table.
	$(call say,Looking for missing system packages)
	@scripts/setup build
	$(call say,Building the benchmarks in release mode: some minutes the first time)
	@$(SWIFT) build -c release --package-path Benchmarks --product SerializationBenchmarks
	$(call say,Measuring)
	@Benchmarks/.build/release/SerializationBenchmarks $(BENCH_ARGUMENTS)

bench-session: ## Measures what the session adds to a call, without and with sockets, and prints two tables.
	$(call say,Looking for missing system packages)
	@scripts/setup bench
	$(call say,Building the benchmarks in release mode: some minutes the first time)
	@$(SWIFT) build -c release --package-path Benchmarks --product SessionBenchmarks
	@$(SWIFT) build -c release --package-path Benchmarks --product bench-bluebonnet
	@$(SWIFT) build -c release --package-path Benchmarks --product bench-delay
	$(call say,Measuring)
	@Benchmarks/session $(BENCH_ARGUMENTS)

bench-downloads: ## Measures saving 1 GiB, in one part and in four, beside curl and aria2, and prints a table.
	$(call say,Looking for missing system packages)
	@scripts/setup bench
	$(call say,Building the benchmarks in release mode: some minutes the first time)
	@$(SWIFT) build -c release --package-path Benchmarks --product bench-bluebonnet
	$(call say,Measuring)
	@Benchmarks/downloads $(BENCH_ARGUMENTS)

bench-command-line: build ## Measures the program's size, starts, 1 GiB over HTTP/2 and 100 MB of JSON, beside curl and jq.
	$(call say,Measuring)
	@Benchmarks/command-line $(BENCH_ARGUMENTS)

docs: ## Builds the DocC documentation of every library into .build/documentation.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	@$(MAKE) --no-print-directory build-tests
	$(call say,Building the documentation)
	@scripts/check-docs
	@echo "Written to .build/documentation"

docs-site: ## Builds one site of the guide, the tutorial, every document and the reference of every library into .build/site.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	@$(MAKE) --no-print-directory build-tests
	$(call say,Building the site)
	@scripts/docs-site
	@echo "To read it: python3 -m http.server --directory .build/site, then http://localhost:8000/"

relay-service: ## Builds and tests the example of a Hummingbird service that calls upstream: a package of its own, several minutes the first time.
	$(call say,Testing Examples/relay-service)
	@$(SWIFT) test --package-path Examples/relay-service --disable-xctest

record-demo: build ## Draws what make demo prints into Documentation/demo.svg.
	$(call say,Recording)
	@scripts/record-demo

test-program: build ## Runs the tests of the command line with the program as it is installed, which make test does with the debug build.
	@$(MAKE) --no-print-directory build-tests
	@install -d .build/program && cp $(RELEASE_BINARY) .build/program/bluebonnet && strip .build/program/bluebonnet
	$(call say,Running the tests of the command line with .build/program/bluebonnet)
	@BLUEBONNET_PROGRAM="$$PWD/.build/program/bluebonnet" $(RUN_TESTS) --filter BluebonnetCLITests

tsan: ## Runs the tests under the thread sanitizer, in a build folder of its own.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	$(call say,Building and running the tests with the thread sanitizer)
	@$(CHECKED_BUILD) --build-tests --sanitize=thread --scratch-path .build/tsan $(CHECK_FLAGS)
	@clang -O2 -shared -fPIC -o .build/tsan/runtime.so scripts/tsan-runtime.c
	@# What the sanitizer itself takes would count in the tests that measure memory, and a file of its own does not fit where files may not
	@# grow. Its frames do not fit into a stack that is as small as can be. A program is compiled against the ordinary build.
	@TSAN_OPTIONS="suppressions=$$PWD/scripts/tsan-suppressions.txt" LD_PRELOAD="$$PWD/.build/tsan/runtime.so" \
	    $(RUN_TESTS) --sanitize=thread --scratch-path .build/tsan --skip 'cost memory in proportion' --skip 'in little memory' --skip StalledMemoryTests \
	    --skip 'compiles as main.swift' --skip 'may not grow further' --skip 'fits into a stack'

fuzz: ## Feeds mutated input to every parser, for SECONDS each (10 unless given).
	$(call say,Looking for missing system packages)
	@scripts/setup test
	$(call say,Fuzzing)
	@scripts/fuzz $(SECONDS)

soak: ## Sends 200,000 mixed requests, faults and cancellations among them, and 50,000 to nginx, and cancels 20,000 operations; looks at what is left behind.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	@$(MAKE) --no-print-directory build-tests
	$(call say,Sending 250$(,)000 requests)
	@SILENCE=3600 BLUEBONNET_SOAK_REQUESTS=200000 $(RUN_TESTS) --filter SoakTests
	$(call say,Cancelling 20$(,)000 operations of one session at random moments)
	@SILENCE=3600 BLUEBONNET_STORM_OPERATIONS=20000 $(RUN_TESTS) --filter BluebonnetTests.StormTests

crash: ## Kills processes that download four thousand times, that upload four hundred times, and that work through a queue six hundred times; looks at what they end with.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	@$(MAKE) --no-print-directory build-tests
	$(call say,Killing downloads)
	@SILENCE=3600 BLUEBONNET_KILLS=1000 $(RUN_TESTS) --filter BluebonnetTests.KillTests
	$(call say,Killing uploads)
	@SILENCE=3600 BLUEBONNET_UPLOAD_KILLS=200 $(RUN_TESTS) --filter UploadKillTests
	$(call say,Killing processes that work through a queue)
	@SILENCE=3600 BLUEBONNET_QUEUE_KILLS=200 $(RUN_TESTS) --filter TransferQueueKillTests

interop: ## Runs every test against other people's servers, and writes Documentation/Interop.md.
	$(call say,Looking for missing system packages)
	@scripts/setup interop
	@$(MAKE) --no-print-directory build-tests
	$(call say,Running the tests against other servers)
	@rm -f .build/interop.tsv
	@BLUEBONNET_INTEROP_TABLE="$$PWD/.build/interop.tsv" $(RUN_TESTS) --filter InteropTests
	@scripts/interop-table .build/interop.tsv Documentation/Interop.md

big: ## Sends and receives 4 GiB, in one go and killed twice on the way; fails if the client takes 64 MiB of memory or more.
	$(call say,Looking for missing system packages)
	@scripts/setup test
	$(call say,Building the release binary)
	@$(SWIFT) build $(RELEASE_FLAGS)
	$(call say,Sending and receiving 4 GiB)
	@scripts/check-memory --size 4096 --kills 2 --binary $(RELEASE_BINARY)

clean: ## Removes everything that was built.
	$(call say,Removing .build)
	@rm -rf .build Benchmarks/.build Fuzz/.build Examples/relay-service/.build
