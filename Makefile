# All commands. Only `make deps` installs anything outside this folder; other targets name what is missing. The targets demo and
# test call it themselves, so that a fresh Debian machine needs one command.
# Recipes run in bash and stop at the first failure, also inside a pipe.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Folders and files are no targets: make would say that tests is up to date.
TARGETS := $(shell sed -nE 's/^([a-z-]+):( .*)?$$/\1/p' $(firstword $(MAKEFILE_LIST)))
UNKNOWN := $(filter-out $(TARGETS),$(MAKECMDGOALS))
$(if $(UNKNOWN),$(error there is no target $(UNKNOWN); `make help` lists all))

PREFIX ?= /usr/local
DESTDIR ?=
# Mesa's choice of a device prints a line for every Vulkan instance where no desktop runs.
export NODEVICE_SELECT ?= 1
# where cargo builds; absolute, because cmake would resolve a relative CARGO_TARGET_DIR differently
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
BUILD ?= $(TARGET)/cmake
# OFF builds the library for the CPU alone, without wgpu. The environment does not set it: other programs use that name.
GPU = ON
FEATURES := $(if $(filter OFF off NO no FALSE false 0,$(GPU)),--no-default-features)
# the C compiler of the MPI that libneargrid_mpi is for
MPICC ?= mpicc
# seconds that each target is fuzzed
SECONDS ?= 60
TOOLS := $(or $(NEARGRID_TOOLS),.tools)
CBINDGEN := $(TOOLS)/bin/cbindgen --quiet
# the targets for which make deps installs what they need: FOR='check mpi'
FOR ?= test
# The lanes of make test, and those that CI runs beside them (scripts/check-ci compares its files with this).
LANES := suite gpu check interfaces mpi docs deny
CI_LANES := cpu abi
# the part of make test-all to run: SHARD=2/6
SHARD ?= 1/1
# The release of Rust whose lints are errors. With other releases they only warn, so that a new clippy breaks nothing and nobody has
# to download this release.
LINTED_WITH := 1.95
LINTS := $(if $(findstring rustc $(LINTED_WITH).,$(shell rustc --version)),-D warnings)
export LINTS
# the oldest release of Rust that builds this
MSRV := $(shell sed -nE 's/^rust-version = "([^"]*)".*/\1/p' Cargo.toml)

# the minutes that make demo or make test took when scripts/times measured it
minutes = $(shell sed -nE 's/^\| `make $(1)` \| ([0-9]+) \|.*/\1/p' docs/lab/times.md)

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

.PHONY: deps
deps: ## install what Debian and the Rust toolchain lack: FOR=test, or FOR='build install check suite gpu interfaces mpi ...'
	@scripts/setup $(FOR)

.PHONY: build
build: ## build the release library in target/release; GPU=OFF for the CPU alone
	@scripts/setup --check build
	cargo build --release --locked $(FEATURES)

.PHONY: demo
demo: ## install what is missing, compile and run the Fortran examples: movies for ParaView and pictures in demo/
	@echo 'make demo takes about $(call minutes,demo) minutes on two cores; a line every 20 seconds says where it is'
	@$(MAKE) deps FOR=build
	@scripts/demo

.PHONY: demo-mpi
demo-mpi: ## compile and run the examples across ranks, on 1, 2 and 4 of them: the same energies and groups
	@scripts/setup --check demo-mpi
	@cargo build --release --locked
	@scripts/demo-mpi $(TARGET)/release

.PHONY: test
test: ## install what is missing, then run all checks and tests that a change must pass
	@echo 'make test takes about $(call minutes,test) minutes on two cores; a line every 20 seconds says where each lane is'
	@$(MAKE) deps FOR=build
	@scripts/test deps $(LANES)

.PHONY: test-suite
test-suite: ## test every query against the oracle on the CPU; needs only Rust
	@scripts/setup --check suite
	@scripts/test suite

.PHONY: test-gpu
test-gpu: ## run the tests that need a Vulkan device
	@scripts/setup --check gpu
	@scripts/test gpu

.PHONY: test-interfaces
test-interfaces: ## test C, Fortran, the tools, and programs that use an installed library
	@scripts/setup --check interfaces
	@scripts/test interfaces

.PHONY: test-mpi
test-mpi: ## test searches across ranks under Open MPI, on two ranks
	@scripts/setup --check mpi
	@scripts/test mpi

.PHONY: test-cpu
test-cpu: ## test a build for the CPU alone, as Debian ships it
	@scripts/setup --check suite
	@scripts/test cpu

.PHONY: test-all
test-all: ## run all tests with every case (hours), or SHARD=2/6; another run continues with those that have not passed on this tree
	@scripts/setup --check test-all
	@SHARD=$(SHARD) scripts/test --all

.PHONY: test-arm
test-arm: ## test the CPU kernels for AArch64, emulated
	@scripts/setup --check arm
	@scripts/test-arm

.PHONY: test-compilers
test-compilers: ## run the C and Fortran tests with clang and flang
	@scripts/setup --check compilers
	@scripts/test-compilers

.PHONY: test-swiftshader
test-swiftshader: ## run the GPU tests with SwiftShader, a Vulkan driver in software
	@scripts/setup --check swiftshader
	@scripts/test-swiftshader

.PHONY: fuzz
fuzz: ## fuzz calls, the environment, formulas and texts with libFuzzer, SECONDS=60 each; needs a nightly toolchain
	@scripts/setup --check fuzz
	@for target in calls environment formula texts; do \
	    echo "fuzzing $$target for $(SECONDS) s"; \
	    RUSTUP_TOOLCHAIN=nightly CARGO_TARGET_DIR=$(TARGET)/fuzz ASAN_OPTIONS=allocator_may_return_null=1 \
	        $(TOOLS)/bin/cargo-fuzz run $$target -- -max_total_time=$(SECONDS) -max_len=16384 -timeout=120 \
	        -rss_limit_mb=4096 -malloc_limit_mb=1048576; \
	done

.PHONY: test-sanitizers
test-sanitizers: ## test the Rust code with AddressSanitizer and ThreadSanitizer (nightly), and with overflow checks
	@scripts/setup --check sanitizers
	@scripts/test-sanitizers

.PHONY: check
check: ## check formatting, lints, and the committed C headers and Fortran sources
	@scripts/setup --check check
	@scripts/check-ci
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- $(LINTS)
	cargo clippy --locked --lib --no-default-features -- $(LINTS)
	@# no libFuzzer is linked, so none is compiled
	CARGO_TARGET_DIR=$(TARGET)/fuzz CUSTOM_LIBFUZZER_PATH=/libfuzzer.a cargo clippy --locked --manifest-path fuzz/Cargo.toml -- $(LINTS)
	@$(MAKE) headers-in FOLDER=$(TARGET)/headers
	@for header in include/neargrid*.h; do \
	    diff -u $$header $(TARGET)/headers/$${header##*/} || { echo "$$header is out of date: run make header" >&2; exit 1; }; done
	CARGO_TARGET_DIR=$(TARGET) scripts/fortran --check
	python3 scripts/python_bindings.py --check
	python3 scripts/check_lengths.py
	scripts/times --check

.PHONY: header
header: ## regenerate the C headers from src/capi
	@scripts/setup --check check
	@$(MAKE) headers-in FOLDER=include

.PHONY: headers-in
headers-in:
	$(CBINDGEN) --config cbindgen.toml --crate neargrid --output $(FOLDER)/neargrid.h
	$(CBINDGEN) --config src/capi/celllist.toml --output $(FOLDER)/neargrid_celllist.h src/capi/celllist/mod.rs
	$(CBINDGEN) --config src/capi/sum.toml --output $(FOLDER)/neargrid_sum.h src/capi/sum.rs
	sed -i '/^NEARGRID_EXPORT$$/{N;/last_error/!s/NEARGRID_EXPORT\nneargrid_status/NEARGRID_NODISCARD &/};s/^NEARGRID_EXPORT neargrid_status/NEARGRID_NODISCARD &/' \
	    $(FOLDER)/neargrid*.h

.PHONY: fortran python wheel
python: ## write the Python package's declarations of the C functions
	python3 scripts/python_bindings.py

wheel: ## build the Python package with the library in it, for this machine's system: target/wheels
	@scripts/setup --check wheel
	@scripts/wheel

fortran: ## write the Fortran sources that fypp makes of fortran/*.fypp and the C headers
	@scripts/setup --check check
	scripts/fortran

.PHONY: abi
abi: ## write abi/ from the C headers: the C interface as libabigail sees it
	@scripts/setup --check abi
	@scripts/abi

.PHONY: abi-check
abi-check: ## compare the C interface with abi/
	@scripts/setup --check abi
	@scripts/abi --check

.PHONY: dist
dist: ## write a release to target/dist: sources with all crates, for Linux and for the CPU alone; licenses, SBOM, checksums
	@scripts/setup --check dist
	@scripts/dist

.PHONY: deb
deb: ## build Debian packages in target/deb, from the release for the CPU alone
	@scripts/setup --check deb
	@scripts/package-debian

.PHONY: install
install: ## install headers, libraries, pkg-config and CMake files, Fortran modules: PREFIX=/usr/local DESTDIR= GPU=ON
	@scripts/setup --check install
	@$(MAKE) install-as MPI=OFF

.PHONY: install-mpi
install-mpi: ## install the same and libneargrid_mpi for the site's MPI: MPICC=mpicc
	@scripts/setup --check install
	@$(MAKE) install-as MPI=ON

.PHONY: install-as
install-as:
	@cmake -S . -B $(BUILD) --log-level=WARNING -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX:~%=$(HOME)%)) \
	    -DNEARGRID_GPU=$(GPU) -DNEARGRID_MPI=$(MPI) -DBUILD_TESTING=OFF $(if $(filter ON,$(MPI)),-DNEARGRID_MPICC=$(MPICC)) -DNEARGRID_CARGO_TARGET_DIR=$(TARGET) >/dev/null
	@cmake --build $(BUILD)
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) \
	    || { echo 'not installed; if the prefix is not yours: sudo cmake --install $(BUILD)' >&2; exit 1; }

# sums over neighbors beside loops over a list, two stages, and whole time steps
BENCH_STEPS := cases=C3,C1 query=sum,loop,forces,forceloop,stages,step

.PHONY: bench
bench: ## run the benchmarks and check their results (minutes): table, CSV and plot in target/bench; ARGS='cases=C1 query=full'
	@scripts/setup --check build
	cargo bench --locked --package neargrid-benches --bench parts -- --quiet
	cargo bench --locked --package neargrid-benches --bench cases -- csv=$(TARGET)/bench/cases.csv svg=$(TARGET)/bench/cases.svg $(ARGS)
	$(if $(ARGS),@:,cargo bench --locked --package neargrid-benches --bench cases -- $(BENCH_STEPS) csv=$(TARGET)/bench/steps.csv)

.PHONY: bench-verlet
bench-verlet: ## measure the Verlet list beside one written by hand in Fortran: POINTS=100000 STEPS=1000 FC=gfortran
	@scripts/setup --check build
	@scripts/bench-verlet

.PHONY: bench-mpi
bench-mpi: ## measure weak scaling across ranks (minutes): RANKS='1 2 4' POINTS=1000000 APART=apart MPICC=mpicc
	@scripts/setup --check mpi
	@scripts/bench-mpi

.PHONY: docs
docs: ## build the documentation site, in target/site; a warning or a dead link is an error
	@scripts/setup --check docs
	@# with an example, dependencies have the features that clippy checked them with, and are not checked again
	RUSTDOCFLAGS='$(LINTS)' cargo doc --locked --workspace --no-deps --lib --example find_pairs
	@scripts/docs $(TARGET)/doc

.PHONY: msrv
msrv: ## compile with the oldest release of Rust that Cargo.toml allows
	@scripts/setup --check msrv
	cargo +$(MSRV) check --locked --workspace

.PHONY: deny
deny: ## check licenses and sources of the dependencies
	@scripts/setup --check deny
	$(TOOLS)/bin/cargo-deny --all-features check licenses bans sources

.PHONY: advisories
advisories: ## check the dependencies for known vulnerabilities (fetches the RustSec list by git)
	@scripts/setup --check deny
	$(TOOLS)/bin/cargo-deny --all-features check advisories

.PHONY: clean
clean: ## delete everything that was built, except .tools
	rm -rf target demo build
