# Sets up everything in .venv. Needs Python 3.11 or newer, make and a C++20 compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
STAMP := $(VENV)/.installed
CORE := CMakeLists.txt $(wildcard core/*)
PYTEST_ARGS ?=
FUZZ ?= 2320000
EACH ?=
PROGRAMS ?=
SEED ?= 1
LAST_BITS := tests/test_ties.py tests/clusters tests/linalg tests/space docs

.PHONY: help demo test test-last-bits variants check format bench quality sanitize fuzz clean

help:
	@echo "make demo      learn vectors from documentation that is on this machine, and query them"
	@echo "make test      build the core and run the tests, except the slow ones"
	@echo "make check     run the linters, format checks and type checks"
	@echo "make format    format the code"
	@echo "make quality   run the slow tests"
	@echo "make variants  run the tests with each instruction set and each kind of BLAS kernels"
	@echo "make sanitize  run the tests under AddressSanitizer and UndefinedBehaviorSanitizer, and"
	@echo "               fuzz the threaded kernels under ThreadSanitizer"
	@echo "make fuzz      run two million random inputs through kernels and readers; SEED=2 gives"
	@echo "               other inputs, EACH=1000 PROGRAMS=formats 1000 for each vector reader"
	@echo "make bench     compare counting with wc and gensim (needs a corpus: bench/README.md)"
	@echo "make clean     remove the environment and all build files"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' 'cmake>=3.26' 'ninja>=1.11'

$(BASE): $(BIN)/python pyproject.toml $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -e .
	@touch $@

$(STAMP): $(BASE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[dev]'
	@touch $@

demo: $(BASE)
	$(BIN)/firth demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto -m 'not slow' $(PYTEST_ARGS)

# BLAS rounds differently on different kinds of processors. This runs the tests with kernels that work
# on any x86-64 but are the default of no current one, so a test that depends on the last bits fails
# here. `make variants` tries all kernels.
test-last-bits: $(STAMP)
	@if [ "$$(uname -m)" != x86_64 ]; then echo "other kernels of BLAS: for x86-64 alone"; else \
	OPENBLAS_CORETYPE=Nehalem $(BIN)/python -m pytest -q -n auto -m 'not slow' $(LAST_BITS); fi

variants: $(STAMP)
	$(BIN)/python tools/variants.py $(PYTEST_ARGS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror core/*.cpp core/*.hpp fuzz/*.cpp fuzz/*.hpp
	$(BIN)/python tools/tidy.py

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i core/*.cpp core/*.hpp fuzz/*.cpp fuzz/*.hpp

quality: $(STAMP)
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

sanitize: $(STAMP)
	$(BIN)/python tools/sanitize.py $(PYTEST_ARGS)
	$(BIN)/python tools/fuzz.py --sanitize thread --inputs 20000 --seed $(SEED) count merge threads

fuzz: $(STAMP)
	$(BIN)/python tools/fuzz.py $(if $(EACH),--each $(EACH),--inputs $(FUZZ)) --seed $(SEED) $(PROGRAMS)

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]' --no-build-isolation
	$(BIN)/python -m bench.counting

clean:
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
