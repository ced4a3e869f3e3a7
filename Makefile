# The doors to Molejo. `make help` lists them.
FUZZ_SECONDS ?= 20
SEEDS ?= 3
CASES ?= 1000
MUTANTS ?= 300
PRESET ?= release
BUILD := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
PREFIX ?= /usr/local
# One at a time, and a failed suite runs once more: drawing by software can be late for what a test waits for.
BROWSER_TESTS = ctest --test-dir $(BUILD) -L browser --no-tests=ignore --repeat until-pass:2 --output-on-failure
# What is freed would go on counting as memory of the program.
export ASAN_OPTIONS ?= quarantine_size_mb=16
SOURCES = $(shell git ls-files -co --exclude-standard -- '*.h' '*.cpp' | xargs ls -d 2> /dev/null)

.PHONY: build run install package fresh gallery test check test-browser faults soak bench study format lint fuzz mutate hashes clean help

build:  ## the program, as build/molejo
	@scripts/build release molejo_cli

run:  ## everything alive in the browser, at the address that it prints (PORT=8420)
	@scripts/build --then 'start the studio' release molejo_cli
	@build/molejo studio $(if $(PORT),--port $(PORT))

install:  ## program, scenes and library below PREFIX (/usr/local); DESTDIR as usual
	@scripts/build release molejo_installed
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)' > build/install.log
	@echo "installed: $(DESTDIR)$(PREFIX)/bin/molejo"

package:  ## .deb and .tar.gz with program, page, scenes and library, in build/packages
	@scripts/build --package --then 'make the packages' release molejo_installed
	@cd build && cpack > packages.log 2>&1 || { cat packages.log; exit 1; }
	@ls -sh build/packages/*.deb build/packages/*.tar.gz

fresh:  ## `make run` and `make test` in a clean clone, in a fresh Debian 12 with git and make alone: their times
	@scripts/install_deps --test
	@scripts/fresh_root --until 'http://' make run
	@scripts/fresh_root make test

gallery: build  ## the shipped scenes as recordings, pictures and plots, in out/gallery/index.html
	@build/molejo gallery scenes out/gallery

test:  ## everything that a change must pass (PRESET=debug, asan or tsan for a stricter build)
	@scripts/build --test --lint --then 'run the tests' $(PRESET)
	@ctest --test-dir $(BUILD) -LE browser -j$(shell nproc) --output-on-failure
	@$(BROWSER_TESTS)

test-browser:  ## every panel of the studio in Debian's Chromium, as a person uses it
	@scripts/build --test release molejo_cli
	@$(BROWSER_TESTS)

soak:  ## CASES (1000) hostile files and messages against the program, ten times as many random nets against their analysis
	@scripts/build --test release molejo_cli adversary test_net
	@MOLEJO_RANDOM_NETS=$$((10 * $(CASES))) build/tests/test_net -tc='soundness: no play*'
	@build/tests/adversary/adversary build/molejo scenes --cases $(CASES)

faults:  ## every allocation and system call of ten commands fails once, and each is killed at every call: hours
	@scripts/build --test release molejo_cli fault_tracer faulty_memory
	@tests/faults/run build --all

bench:  ## Molejo beside its peers: microseconds per step, energy drift
	@scripts/build --peers bench
	@build-bench/bench/molejo_bench $(BENCH_ARGS)
	@build-bench/bench/molejo_bench_net scenes/nets
	@build-bench/bench/molejo_bench_motion
	@build-bench/bench/molejo_bench_navigation scenes node_modules/.molejo-clips/viverse/walk.glb node_modules/.molejo-clips/dcl/walk.glb

study:  ## train and validate the experiments of the thesis with SEEDS (3) each, into out/study
	@scripts/build release molejo_cli molejo_study
	@scripts/study $(SEEDS)

format:  ## clang-format all sources in place
	@scripts/install_deps --lint
	@clang-format -i $(SOURCES)

lint:  ## clang-format and clang-tidy on what changed since the branch left main
	@scripts/install_deps --lint
	@cmake --preset each > /dev/null
	@scripts/lint

check:  ## what a release must pass: the tests, all of them under sanitizers, FUZZ_SECONDS=60 of fuzzing a target
	@$(MAKE) test
	@$(MAKE) test PRESET=asan
	@$(MAKE) test PRESET=tsan
	@$(MAKE) fuzz FUZZ_SECONDS=60
	@$(MAKE) hashes

fuzz:  ## every reader and bench against libFuzzer, FUZZ_SECONDS (20) each (FUZZ="show upload": these)
	@scripts/build --fuzz fuzz
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ)

mutate:  ## MUTANTS (300) small faults in the library: does a test notice? (SEED=1)
	@scripts/build --test release
	@MUTANTS=$(MUTANTS) SEED=$(or $(SEED),1) nice node scripts/mutate.mjs build

hashes:  ## what all shipped files do, bit for bit, by g++ and clang, release and debug, with AVX2 or not
	@scripts/install_deps --fuzz
	@scripts/hashes

clean:  ## remove all that was built or written
	@rm -rf build build-* out

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
