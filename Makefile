# The commands of the README. Everything is idempotent; CMake's presets do the work.
SHELL := /bin/bash
PRESET ?= release
BIN := build/$(PRESET)/bin
JOBS ?= $(shell nproc)
ARGS ?=

.PHONY: build test demo bench-cpu setup data format clean

# Installs what is missing and builds every program into build/release/bin.
build: setup
	@scripts/build.sh $(PRESET) $(JOBS)

# Builds and runs all tests; the last lines are the summary.
test: build
	@scripts/test.sh $(PRESET) $(JOBS)

# Trains a small convolutional network on MNIST; options in ARGS, as in: make demo ARGS="--epochs 1"
demo: build data
	@$(BIN)/tensorgrad demo mnist --out build/mnist-demo $(ARGS)

# Times all workloads on the CPU, beside libtorch where that is installed: make bench-cpu ARGS="vae"
bench-cpu: build
	@scripts/bench_cpu.py $(ARGS)

setup:
	@scripts/setup.sh

data: setup
	@scripts/fetch_data.sh

format: setup
	@scripts/format.sh

clean:
	rm -rf build
