# Two commands do everything on a fresh machine with Python, pip and make:
#   make demo   sets up and plays a first rated tournament
#   make test   sets up and runs style, types and every test that needs nothing else
PYTHON ?= python3
VENV ?= .venv
# The environments beside it, each set up by the target that needs it.
ALL_VENV ?= .venv-all
PROTO_VENV := .venv-proto
BENCH_VENV := .venv-bench
MUTANTS_VENV := .venv-mutants
WHEEL_VENV := .venv-wheel
BIN := $(VENV)/bin
COMPILED := build/compiled
SETUP = @"$(PYTHON)" tools/environment.py
CORES := $(shell getconf _NPROCESSORS_ONLN)
JOBS ?= $(CORES)
# Tests of make test-all wait more than they compute: one more than cores leaves none idle.
JOBS_ALL ?= $(shell expr $(CORES) + 1)
# Bytecode is kept, whatever the environment says: the tests start many processes, each of which would compile the arena.
# A process that dies under a test fails it at once: xdist would run the test again in another one.
PYTEST := -m pytest --dist loadfile --no-loadscope-reorder --max-worker-restart 0
PROTOS := $(shell find proto -name '*.proto' | sort)
TESTS ?= tests

.PHONY: help demo test test-all test-changed lint check-python setup setup-dev setup-all setup-proto setup-bench proto lock wheel wheel-pure test-compiled bench soak mutants screenshots docs clean

help:
	@echo "make demo    set up and play a first rated tournament (about a minute of play)"
	@echo "make test    set up and run ruff, mypy and the tests that need nothing but Python, pip and make"
	@echo "make test-all  the other tests: they need minutes or optional programs (what is missing is skipped, and told); TESTS=tests/web for some"
	@echo "make test-changed  the tests of what differs from the last commit, and of what imports it"
	@echo "make lint    only ruff and mypy"
	@echo "make wheel   build a wheel for this platform and Python, with a compiled engine (needs a C compiler; make wheel-pure does not)"
	@echo "make test-compiled   the tests of the engine, on a compiled one"
	@echo "make bench   the figures of docs/measured.md (takes several minutes)"
	@echo "make soak    overload, kill -9, hostile bots, fuzzing, submissions and 20,000 matches (takes hours on a small machine)"
	@echo "make mutants   small faults in the code, and whether the tests notice (takes hours); AREAS=\"ledger match\" for some"
	@echo "make screenshots  take the pictures of docs/web.md anew (needs chromium, takes some minutes)"
	@echo "make docs    build the site of docs/ into build/site"
	@echo "make proto   regenerate arena/v1, arena/games and the messages of the kits from proto/"
	@echo "make lock    resolve the lock files anew (needs uv)"
	@echo "make clean   remove what the other targets made"
	@echo "Variables: PYTHON=$(PYTHON) VENV=$(VENV) JOBS=$(JOBS), the processes that tests share"

demo: setup
	@$(BIN)/arena demo

test: lint
	PYTHONDONTWRITEBYTECODE= "$(BIN)/python" $(PYTEST) -n $(JOBS) -m "not needs" $(TESTS)

test-all: setup-all setup-proto
	PYTHONDONTWRITEBYTECODE= "$(ALL_VENV)/bin/python" -m tools.test_all $(PYTEST) -n $(JOBS_ALL) -m needs $(TESTS)

test-changed: setup-dev
	@PYTHONDONTWRITEBYTECODE= "$(BIN)/python" -m tools.changed_tests | PYTHONDONTWRITEBYTECODE= xargs -d '\n' -r "$(BIN)/python" $(PYTEST) -n $(JOBS) -m "not needs"

lint: setup-dev
	"$(BIN)/python" -m ruff check .
	"$(BIN)/python" -m ruff format --check .
	"$(BIN)/python" -m mypy
	@for bot in bots/*/main.py bots/*/template*/main.py; do echo "mypy $$bot"; "$(BIN)/python" -m mypy --no-error-summary $$bot || exit 1; done

check-python:
	@"$(PYTHON)" -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Kingmaker Arena needs Python 3.11 or newer, this is %s: make PYTHON=python3.12" % sys.version.split()[0])'

setup: check-python
	$(SETUP) "$(VENV)" run

setup-dev: check-python
	$(SETUP) "$(VENV)" run dev

# What optional tests need (Ray, OpenSpiel, PettingZoo, notebooks, a driver of browsers) is large, and lives apart.
setup-all: check-python
	$(SETUP) "$(ALL_VENV)" run all

# The generator lives apart: an old one makes code that every protobuf from 6.31 on can load,
# and it would pull the whole environment down to its own protobuf.
setup-proto: check-python
	$(SETUP) "$(PROTO_VENV)" proto

proto: setup-proto
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
	$(LOCK) pyproject.toml --extra dev --extra postgres --extra ray --extra openspiel --extra openskill --extra research requirements/all.in -c requirements/dev.lock -o requirements/all.lock
	$(LOCK) pyproject.toml --extra benchmarks -c requirements/run.lock -o requirements/benchmarks.lock

SAY_COMPILING := echo "compiling the engine: this takes some minutes, and what the compiler warns of can be ignored"

# What compiles the engine lives apart: who plays, tests or writes code needs no compiler.
wheel: check-python
	$(SETUP) $(WHEEL_VENV) wheel
	@$(SAY_COMPILING)
	@ARENA_COMPILE=1 $(WHEEL_VENV)/bin/python -m hatchling build -t wheel -d dist

wheel-pure: check-python
	$(SETUP) $(WHEEL_VENV) wheel
	$(WHEEL_VENV)/bin/python -m hatchling build -t wheel -d dist

$(COMPILED)/engine/compiled.json: requirements/wheel.lock tools/compiling.py $(shell find engine -type f -not -path '*/__pycache__/*' -not -name '*.so' -not -name compiled.json)
	$(SETUP) $(WHEEL_VENV) wheel
	@$(SAY_COMPILING)
	@$(WHEEL_VENV)/bin/python -m tools.compiling $(COMPILED)

# -P keeps the checkout out of the path: the engine in $(COMPILED), which has the data too, is imported.
test-compiled: setup-dev $(COMPILED)/engine/compiled.json
	PYTHONPATH=$(COMPILED) ARENA_TEST_ENGINE=compiled "$(BIN)/python" -P $(PYTEST) -n $(JOBS) -m "not needs" tests/engine tests/examples/test_connect_four.py

# The libraries that the engine is compared with live apart: what is played and tested never sees them.
setup-bench: check-python
	$(SETUP) $(BENCH_VENV) run benchmarks

bench: setup-bench
	$(BENCH_VENV)/bin/python -m benchmarks

# What the tests do in small, at length: each fails if a bot lost that should not, or if anything grew or was left.
soak: setup-dev
	$(BIN)/python -m benchmarks.robustness fuzz
	$(BIN)/python -m benchmarks.robustness overload
	$(BIN)/python -m benchmarks.robustness killing
	$(BIN)/python -m benchmarks.hostile
	$(BIN)/python -m benchmarks.sandbox
	$(BIN)/python -m benchmarks.submissions
	$(BIN)/python -m benchmarks.soak

# What changes the code lives apart, too; the tests run in the environment of all tests, over a copy of the checkout.
mutants: setup-all
	$(SETUP) $(MUTANTS_VENV) mutants
	$(MUTANTS_VENV)/bin/python -m tools.mutants $(AREAS)

# Plays a small arena, serves it, and photographs its pages into docs/pictures.
screenshots: setup-all
	$(ALL_VENV)/bin/python -m tools.screenshots

# The variable hides a notice about the future of Material for MkDocs.
docs: setup-all
	NO_MKDOCS_2_WARNING=1 "$(ALL_VENV)/bin/python" -m mkdocs build --strict

clean:
	rm -rf "$(VENV)" "$(ALL_VENV)" $(PROTO_VENV) $(BENCH_VENV) $(MUTANTS_VENV) $(WHEEL_VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
