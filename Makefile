# One place for every command. Only `make deps` installs anything outside of this folder; other targets name what is missing. Two
# targets call it themselves, so that a fresh Debian machine needs one command: demo and test.
# Recipes run in bash and stop at the first failure, also inside a pipe.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
DESTDIR ?=
# where cargo builds; a relative CARGO_TARGET_DIR would mean another place to cmake
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
BUILD ?= $(TARGET)/cmake
# the C compiler of the MPI that the layer across ranks is built for
MPICC ?= mpicc
# how long each target is fuzzed
SECONDS ?= 60
TOOLS := $(or $(NEARGRID_TOOLS),.tools)
CBINDGEN := $(TOOLS)/bin/cbindgen --quiet --config cbindgen.toml --crate neargrid
CBINDGEN_MPI := $(TOOLS)/bin/cbindgen --quiet --config mpi/cbindgen.toml --crate neargrid-mpi
# what make deps installs is for these targets: FOR='check mpi'
FOR ?= test
# The release of Rust whose lints are errors. Others only warn: a new clippy breaks nothing, and nobody must download this one.
LINTED_WITH := 1.95
LINTS := $(if $(findstring rustc $(LINTED_WITH).,$(shell rustc --version)),-D warnings)
export LINTS
# the oldest release of Rust that builds this
MSRV := $(shell sed -nE 's/^rust-version = "([^"]*)".*/\1/p' Cargo.toml)

.PHONY: help
help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

.PHONY: deps
deps: ## install what Debian and the Rust toolchain lack: FOR=test, or FOR='build install check suite gpu interfaces mpi ...'
	@scripts/setup $(FOR)

.PHONY: build
build: ## the release library in target/release, nothing else
	@scripts/setup --check build
	cargo build --release --locked

.PHONY: demo
demo: ## install what is missing, compile and run the Fortran examples: movies for ParaView and pictures in demo/
	@$(MAKE) deps FOR=demo
	@cargo build --release --locked
	@scripts/demo $(TARGET)/release

.PHONY: demo-mpi
demo-mpi: ## compile and run the examples across ranks, on 1, 2 and 4 of them: the same energies and groups
	@scripts/setup --check demo-mpi
	@cargo build --release --locked
	@scripts/demo-mpi $(TARGET)/release

.PHONY: test
test: ## install what is missing and run what CI runs: check test-gpu test-interfaces test-suite test-mpi docs deny
	@$(MAKE) deps FOR=test
	@$(MAKE) check
	@scripts/test gpu interfaces suite mpi docs deny

.PHONY: test-suite
test-suite: ## every query against the oracle on the CPU: what needs nothing but Rust
	@scripts/setup --check suite
	@scripts/test suite

.PHONY: test-gpu
test-gpu: ## what needs a Vulkan device
	@scripts/setup --check gpu
	@scripts/test gpu

.PHONY: test-interfaces
test-interfaces: ## C, Fortran, tools, and programs that use what is installed
	@scripts/setup --check interfaces
	@scripts/test interfaces

.PHONY: test-mpi
test-mpi: ## the layer across ranks under Open MPI, on two ranks
	@scripts/setup --check mpi
	@scripts/test mpi

.PHONY: test-all
test-all: ## everything, with every case (hours); run again, it goes on with what has not passed on this tree
	@scripts/setup --check test-all
	@$(MAKE) check
	@scripts/test --all

.PHONY: mpi
mpi: ## libneargrid_mpi with the site's MPI (MPICC=mpicc), in target/release
	@scripts/setup --check build
	cargo build --release --locked
	cargo build --release --locked --package neargrid-mpi --features mpi

.PHONY: test-arm
test-arm: ## the CPU's kernels for AArch64, emulated
	@scripts/setup --check arm
	@scripts/test-arm

.PHONY: test-compilers
test-compilers: ## the tests in C and Fortran by clang and flang
	@scripts/setup --check compilers
	@scripts/test-compilers

.PHONY: test-swiftshader
test-swiftshader: ## what runs on a GPU, with another Vulkan driver in software than lavapipe
	@scripts/setup --check swiftshader
	@scripts/test-swiftshader

.PHONY: fuzz
fuzz: ## libFuzzer on calls, the environment and texts, each for SECONDS=60; needs a nightly toolchain
	@scripts/setup --check fuzz
	@for target in calls environment texts; do \
	    echo "fuzzing $$target for $(SECONDS) s"; \
	    RUSTUP_TOOLCHAIN=nightly CARGO_TARGET_DIR=$(TARGET)/fuzz ASAN_OPTIONS=allocator_may_return_null=1 \
	        $(TOOLS)/bin/cargo-fuzz run $$target -- -max_total_time=$(SECONDS) -max_len=16384 -timeout=120 \
	        -rss_limit_mb=4096 -malloc_limit_mb=1048576; \
	done

.PHONY: test-sanitizers
test-sanitizers: ## the Rust code under AddressSanitizer and ThreadSanitizer (nightly), and with overflow checks
	@scripts/setup --check sanitizers
	@scripts/test-sanitizers

.PHONY: check
check: ## formatting, lints, and the committed C headers and Fortran sources
	@scripts/setup --check check
	@scripts/check-ci
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --quiet -- $(LINTS)
	cargo clippy --locked --lib --quiet --no-default-features -- $(LINTS)
	$(CBINDGEN) --output $(TARGET)/neargrid.h
	@diff -u include/neargrid.h $(TARGET)/neargrid.h \
	    || { echo 'include/neargrid.h is not what src/capi says: make header' >&2; exit 1; }
	$(CBINDGEN_MPI) --output $(TARGET)/neargrid_mpi.h
	@diff -u mpi/include/neargrid_mpi.h $(TARGET)/neargrid_mpi.h \
	    || { echo 'mpi/include/neargrid_mpi.h is not what mpi/src/capi says: make header' >&2; exit 1; }
	CARGO_TARGET_DIR=$(TARGET) scripts/fortran --check

.PHONY: header
header: ## write both C headers anew from src/capi and mpi/src/capi
	@scripts/setup --check check
	$(CBINDGEN) --output include/neargrid.h
	$(CBINDGEN_MPI) --output mpi/include/neargrid_mpi.h

.PHONY: fortran
fortran: ## write the Fortran sources that fypp makes of fortran/*.fypp
	@scripts/setup --check check
	scripts/fortran

.PHONY: install
install: ## headers, libraries, pkg-config, CMake, Fortran: PREFIX=/usr/local DESTDIR=
	@scripts/setup --check install
	@$(MAKE) install-as MPI=OFF

.PHONY: install-mpi
install-mpi: ## the same and libneargrid_mpi for the site's MPI: MPICC=mpicc
	@scripts/setup --check install
	@$(MAKE) install-as MPI=ON

.PHONY: install-as
install-as:
	@cmake -S . -B $(BUILD) --log-level=WARNING -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX:~%=$(HOME)%)) \
	    -DNEARGRID_MPI=$(MPI) -DBUILD_TESTING=OFF $(if $(filter ON,$(MPI)),-DNEARGRID_MPICC=$(MPICC)) -DNEARGRID_CARGO_TARGET_DIR=$(TARGET) >/dev/null
	@cmake --build $(BUILD)
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) \
	    || { echo 'not installed; if the prefix is not yours: sudo cmake --install $(BUILD)' >&2; exit 1; }

.PHONY: bench
bench: ## benchmarks, checked (minutes): table, CSV and plot in target/bench; ARGS='cases=C1 query=full'
	@scripts/setup --check build
	cargo bench --locked --package neargrid-benches --bench parts -- --quiet
	cargo bench --locked --package neargrid-benches --bench cases -- csv=$(TARGET)/bench/cases.csv svg=$(TARGET)/bench/cases.svg $(ARGS)

.PHONY: bench-mpi
bench-mpi: ## weak scaling across ranks (minutes): RANKS='1 2 4' POINTS=1000000 MPICC=mpicc
	@scripts/setup --check mpi
	@scripts/bench-mpi

.PHONY: docs
docs: ## the documentation site, in target/site; a warning or a dead link is an error
	@scripts/setup --check docs
	RUSTDOCFLAGS='$(LINTS)' cargo doc --locked --workspace --no-deps
	@scripts/docs $(TARGET)/doc

.PHONY: msrv
msrv: ## the oldest release of Rust that Cargo.toml promises builds all
	@scripts/setup --check msrv
	cargo +$(MSRV) check --locked --workspace

.PHONY: deny
deny: ## licenses and sources of the dependencies
	@scripts/setup --check deny
	$(TOOLS)/bin/cargo-deny --all-features check licenses bans sources

.PHONY: advisories
advisories: ## known holes in the dependencies (fetches the RustSec list by git)
	@scripts/setup --check deny
	$(TOOLS)/bin/cargo-deny --all-features check advisories

.PHONY: clean
clean: ## all that was built; .tools stays
	rm -rf target demo build
