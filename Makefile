# Two commands do everything on a fresh machine with Python, pip and make:
#   make demo   sets up and plays a first rated tournament
#   make test   sets up and runs every check
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# An old pip would build trueskill the legacy way and warn; a new one knows no other way and ignores the variable.
PIP := PIP_USE_PEP517=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip
PROTO_VENV := .venv-proto
BENCH_VENV := .venv-bench
MUTANTS_VENV := .venv-mutants
OPENSPIEL_VENV := .venv-openspiel
RESEARCH_VENV := .venv-research
OPENSPIEL_PIP := PIP_USE_PEP517=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $(OPENSPIEL_VENV)/bin/python -m pip
RESEARCH_PIP := PIP_USE_PEP517=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $(RESEARCH_VENV)/bin/python -m pip
WHEEL_VENV := .venv-wheel
COMPILED := build/compiled
BENCH_PIP := PIP_USE_PEP517=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $(BENCH_VENV)/bin/python -m pip
# One more than cores: a test that waits leaves its core to another. Bytecode is kept, whatever the environment says,
# because the tests start thousands of processes, each of which would compile the arena anew.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# A process that dies under a test fails it at once: xdist would run the test again in another one.
SHARED := -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0
PYTEST := -m pytest $(SHARED)
PROTOS := $(shell find proto -name '*.proto' | sort)

.PHONY: help demo test test-openspiel test-research lint check-python setup setup-dev proto lock wheel wheel-pure test-compiled bench soak mutants screenshots clean

help:
	@echo "make demo    set up and play a first rated tournament (about a minute of play)"
	@echo "make test    set up and run every check: ruff, mypy, pytest"
	@echo "make test-openspiel  the tests of OpenSpiel's games, in an environment of their own that has it"
	@echo "make test-research  the tests of what researchers use (PettingZoo, Gymnasium, OpenSpiel, notebooks), in an environment that has it"
	@echo "make lint    only ruff and mypy"
	@echo "make wheel   build a wheel for this platform and Python, with a compiled engine (needs a C compiler; make wheel-pure does not)"
	@echo "make test-compiled   the tests of the engine, on a compiled one"
	@echo "make bench   the figures of docs/measured.md (takes several minutes)"
	@echo "make soak    overload, kill -9, hostile bots, fuzzing, submissions and 20,000 matches (takes hours on a small machine)"
	@echo "make mutants   small faults in the code, and whether the tests notice (takes hours); AREAS=\"ledger match\" for some"
	@echo "make screenshots  take the pictures of docs/web.md anew (needs chromium, takes some minutes)"
	@echo "make proto   regenerate arena/v1, arena/games and the messages of the kits from proto/"
	@echo "make lock    resolve the lock files anew (needs uv)"
	@echo "make clean   remove what the other targets made"
	@echo "Variables: PYTHON=$(PYTHON) VENV=$(VENV) JOBS=$(JOBS), the processes that tests share"

demo: setup
	@$(BIN)/arena demo

test: lint $(PROTO_VENV)/.done
	PYTHONDONTWRITEBYTECODE= $(BIN)/python $(PYTEST)

# OpenSpiel lives apart, with what its tests need: nobody else pays for it, and every other test is run without it.
$(OPENSPIEL_VENV)/.done: requirements/build.lock requirements/run.lock requirements/openspiel.lock pyproject.toml | check-python
	@echo "setting up $(OPENSPIEL_VENV), with OpenSpiel"
	@$(PYTHON) -m venv $(OPENSPIEL_VENV)
	@$(OPENSPIEL_PIP) install -q --require-hashes -r requirements/build.lock
	@$(OPENSPIEL_PIP) install -q --no-build-isolation --require-hashes -r requirements/run.lock
	@$(OPENSPIEL_PIP) install -q --no-build-isolation --require-hashes -r requirements/openspiel.lock
	@$(OPENSPIEL_PIP) install -q --no-build-isolation --no-deps -e .
	@touch $@

test-openspiel: $(OPENSPIEL_VENV)/.done
	KMA_NEED_OPENSPIEL=1 PYTHONDONTWRITEBYTECODE= $(OPENSPIEL_VENV)/bin/python $(PYTEST) tests/openspiel

# What researchers use lives apart for the same reason.
$(RESEARCH_VENV)/.done: requirements/build.lock requirements/run.lock requirements/research.lock pyproject.toml | check-python
	@echo "setting up $(RESEARCH_VENV), with PettingZoo, Gymnasium and OpenSpiel"
	@$(PYTHON) -m venv $(RESEARCH_VENV)
	@$(RESEARCH_PIP) install -q --require-hashes -r requirements/build.lock
	@$(RESEARCH_PIP) install -q --no-build-isolation --require-hashes -r requirements/run.lock
	@$(RESEARCH_PIP) install -q --no-build-isolation --require-hashes -r requirements/research.lock
	@$(RESEARCH_PIP) install -q --no-build-isolation --no-deps -e .
	@touch $@

test-research: $(RESEARCH_VENV)/.done
	KMA_NEED_RESEARCH=1 PYTHONDONTWRITEBYTECODE= $(RESEARCH_VENV)/bin/python $(PYTEST) tests/research

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@for bot in bots/*/main.py bots/*/template/main.py; do echo "mypy $$bot"; $(BIN)/mypy --no-error-summary $$bot || exit 1; done

setup: $(VENV)/.done
setup-dev: $(VENV)/.dev

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Kingmaker Arena needs Python 3.11 or newer, this is %s: make PYTHON=python3.12" % sys.version.split()[0])'

# trueskill comes as source only, so its build tools are installed first, from their own lock.
$(VENV)/.base: requirements/build.lock | check-python
	@echo "setting up $(VENV); the first time takes about half a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install -q --require-hashes -r requirements/build.lock
	@touch $@

$(VENV)/.done: $(VENV)/.base requirements/run.lock pyproject.toml
	@$(PIP) install -q --no-build-isolation --require-hashes -r requirements/run.lock
	@$(PIP) install -q --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.done requirements/dev.lock
	@echo "setting up the tools for development"
	@$(PIP) install -q --no-build-isolation --require-hashes -r requirements/dev.lock
	@touch $@

# The generator lives apart: an old one makes code that every protobuf from 6.31 on can load,
# and it would pull the whole environment down to its own protobuf.
$(PROTO_VENV)/.done: requirements/proto.lock | check-python
	@echo "setting up $(PROTO_VENV), the generator of the wire's code"
	@$(PYTHON) -m venv $(PROTO_VENV)
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(PROTO_VENV)/bin/python -m pip install -q --require-hashes -r requirements/proto.lock
	@touch $@

proto: $(PROTO_VENV)/.done
	$(PROTO_VENV)/bin/python -m grpc_tools.protoc -I proto --python_out=. --pyi_out=. --grpc_python_out=. $(PROTOS)
	$(PROTO_VENV)/bin/python -m tools.javascript
	cd proto && cp --parents arena/v1/match.proto arena/v1/play.proto arena/games/*/v1/state.proto ../bots/cpp/kit/proto

LOCK := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header
lock:
	$(LOCK) requirements/build.in -o requirements/build.lock
	$(LOCK) requirements/proto.in -o requirements/proto.lock
	$(LOCK) requirements/mutants.in -o requirements/mutants.lock
	$(LOCK) requirements/wheel.in -o requirements/wheel.lock
	$(LOCK) pyproject.toml -o requirements/run.lock
	$(LOCK) pyproject.toml --extra dev -c requirements/run.lock -o requirements/dev.lock
	$(LOCK) pyproject.toml --extra openspiel requirements/openspiel.in -c requirements/dev.lock -o requirements/openspiel.lock
	$(LOCK) pyproject.toml --extra research requirements/research.in -c requirements/dev.lock -c requirements/openspiel.lock -o requirements/research.lock
	$(LOCK) pyproject.toml --extra benchmarks -c requirements/run.lock -o requirements/benchmarks.lock

# What compiles the engine lives apart: who plays, tests or writes code needs no compiler.
$(WHEEL_VENV)/.done: requirements/wheel.lock | check-python
	@echo "setting up $(WHEEL_VENV), with what builds wheels and compiles the engine"
	@$(PYTHON) -m venv $(WHEEL_VENV)
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(WHEEL_VENV)/bin/python -m pip install -q --require-hashes -r requirements/wheel.lock
	@touch $@

SAY_COMPILING := echo "compiling the engine: this takes some minutes, and what the compiler warns of can be ignored"

wheel: $(WHEEL_VENV)/.done
	@$(SAY_COMPILING)
	@ARENA_COMPILE=1 $(WHEEL_VENV)/bin/python -m hatchling build -t wheel -d dist

wheel-pure: $(WHEEL_VENV)/.done
	$(WHEEL_VENV)/bin/python -m hatchling build -t wheel -d dist

# The folder with the compiled engine stands before the checkout, whose own stays as it is. It has the data, too.
$(COMPILED)/engine/compiled.json: $(WHEEL_VENV)/.done tools/compiling.py $(shell find engine -type f -not -path '*/__pycache__/*' -not -name '*.so' -not -name compiled.json)
	@$(SAY_COMPILING)
	@$(WHEEL_VENV)/bin/python -m tools.compiling $(COMPILED)

test-compiled: setup-dev $(COMPILED)/engine/compiled.json
	PYTHONPATH=$(COMPILED) ARENA_TEST_ENGINE=compiled $(BIN)/pytest $(SHARED) tests/engine tests/examples/test_connect_four.py

# The libraries that the engine is compared with live apart: what is played and tested never sees them.
$(BENCH_VENV)/.done: requirements/build.lock requirements/run.lock requirements/benchmarks.lock pyproject.toml | check-python
	@echo "setting up $(BENCH_VENV), with the libraries to compare with"
	@$(PYTHON) -m venv $(BENCH_VENV)
	@$(BENCH_PIP) install -q --require-hashes -r requirements/build.lock
	@$(BENCH_PIP) install -q --no-build-isolation --require-hashes -r requirements/run.lock
	@$(BENCH_PIP) install -q --no-build-isolation --require-hashes -r requirements/benchmarks.lock
	@$(BENCH_PIP) install -q --no-build-isolation --no-deps -e .
	@touch $@

bench: $(BENCH_VENV)/.done
	$(BENCH_VENV)/bin/python -m benchmarks

# What the tests do in small, at length: each fails if a bot lost that should not, or if anything grew or was left.
soak: setup-dev
	$(BIN)/python -m benchmarks.fuzz
	$(BIN)/python -m benchmarks.overload
	$(BIN)/python -m benchmarks.killing
	$(BIN)/python -m benchmarks.hostile
	$(BIN)/python -m benchmarks.sandbox
	$(BIN)/python -m benchmarks.submissions
	$(BIN)/python -m benchmarks.soak

# What changes the code lives apart, too; the tests run in the environment for development, over a copy of the checkout.
$(MUTANTS_VENV)/.done: requirements/mutants.lock | check-python
	@echo "setting up $(MUTANTS_VENV), with what puts faults into code"
	@$(PYTHON) -m venv $(MUTANTS_VENV)
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(MUTANTS_VENV)/bin/python -m pip install -q --require-hashes -r requirements/mutants.lock
	@touch $@

mutants: setup-dev $(MUTANTS_VENV)/.done
	$(MUTANTS_VENV)/bin/python -m tools.mutants $(AREAS)

# Plays a small arena, serves it, and photographs its pages into docs/pictures.
screenshots: setup-dev
	$(BIN)/python -m tools.screenshots

clean:
	rm -rf $(VENV) $(PROTO_VENV) $(BENCH_VENV) $(OPENSPIEL_VENV) $(RESEARCH_VENV) $(MUTANTS_VENV) $(WHEEL_VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
