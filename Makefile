# Every target sets up what it needs in .venv: all it takes is git, make and Python 3.11 or later.
# Another interpreter:        make demo PYTHON=python3.13
# Tests in a single process:  make test PYTESTFLAGS=

PYTHON ?= python3
PYTESTFLAGS ?= -n auto --dist worksteal
ONLY ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

# Several test processes share the cores, so that one thread each is quickest.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q --durations=40 $(PYTESTFLAGS)

# For each target of the fuzzer, and for the soak; options of test-processors (--quick, --whole;
# --write docs/reliability.md); what test-lowest runs by default.
SECONDS ?= 600
PROCESSORS ?=
MINUTES ?= 60
LOWEST_TESTS ?= tests/inputs tests/tables tests/diagnosis/test_problem.py \
  tests/files/test_storage.py tests/cli/test_process.py tests/eigensolvers \
  tests/kernels/test_points.py

.PHONY: help demo test coverage test-all test-lowest test-processors test-random lint docs dist audit bench reproduce clean
.PHONY: fuzz fuzz-quick soak reliability
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.ready ## diagnose two small problems that come with the package
	@$(BIN)/reldim demo

test: lint ## check style and types, run the tests but the slow ones
	@$(PYTEST) -m 'not slow'

coverage: .venv/.ready-dev ## run the tests but the slow ones, and tell which lines and branches they miss
	@$(PYTEST) --cov -m 'not slow'

test-all: lint ## everything: slow tests, coverage, documentation and packages as well
	@$(PYTEST) --cov
	@$(MAKE) --no-print-directory docs dist test-lowest test-processors fuzz-quick audit

test-lowest: .venv-lowest/.ready ## run tests with the lowest versions of all dependencies
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv-lowest/bin/python -m pytest -q -n auto --dist worksteal \
	  -m 'not slow' -W default::DeprecationWarning -W default::FutureWarning $(LOWEST_TESTS)

test-processors: .venv/.ready-dev ## run numerical tests with other processors' arithmetic
	@$(BIN)/python .ci/processors.py $(PROCESSORS)

test-random: .venv/.ready-dev ## run the property tests on new random examples
	@HYPOTHESIS_PROFILE=random $(PYTEST) -m hypothesis

fuzz: .venv/.ready-fuzz ## look for inputs that do harm, SECONDS for each target, and count them
	@$(BIN)/python -m fuzz.run --seconds $(SECONDS) --kind long --write docs/reliability.md

fuzz-quick: .venv/.ready-dev ## the same for three seconds each, from one seed, by blind changes
	@$(BIN)/python -m fuzz.run --seconds 3 --seed 1 --blind

soak: .venv/.ready-dev ## random diagnoses against an oracle for MINUTES, memory watched
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz.soak --minutes $(MINUTES) --write docs/reliability.md

reliability: .venv/.ready-dev ## write the table of promises into its page
	@PYTHONPATH=tests $(BIN)/python -m reliability.table

audit: .venv/.ready-dev ## compare the dependencies with the list of known vulnerabilities
	@$(BIN)/python .ci/audit.py

lint: .venv/.ready-dev ## check style and types
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/mypy --no-error-summary

docs: .venv/.ready-dev ## build the documentation; a warning is an error
	@rm -rf docs/_generated docs/_gallery
	@$(BIN)/sphinx-build -q -n -W --keep-going docs docs/_build/html
	@echo 'Open docs/_build/html/index.html'

dist: .venv/.ready-dev ## build the packages and try the wheel in an environment of its own
	@rm -rf dist build && mkdir build
	@$(BIN)/python -m build --outdir dist . > build/log 2>&1 || { cat build/log >&2; exit 1; }
	@$(BIN)/python -m venv build/venv
	@$(BIN)/python .ci/contents.py
	@for package in dist/*.whl dist/*.tar.gz; do \
	  build/venv/bin/python -m pip --disable-pip-version-check -q install --force-reinstall $$package && \
	  (cd build && venv/bin/reldim demo > /dev/null) || exit 1; done
	@ls dist/*

bench: .venv/.ready-dev ## run the benchmarks
	@$(BIN)/python benchmarks/run.py

reproduce: .venv/.ready-dev ## recompute figures of the papers; ONLY='...' picks some
	@$(BIN)/python -m reproduction $(ONLY)

clean: ## remove everything that make made
	@rm -rf .venv .venv-lowest build dist docs/_build docs/_generated docs/_gallery
	@rm -rf .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks reproduction docs -name __pycache__ -prune -exec rm -rf {} + 2> /dev/null || true

# The stamps are touched last, so that an interrupted set-up is repeated.

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || { \
	  echo "reldim needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V 2> /dev/null || echo missing)." \
	    'Try: make $(MAKECMDGOALS) PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.ready: .venv/.created pyproject.toml
	@echo 'Setting up .venv (once) ...'
	@$(PIP) install -e .
	@touch $@

.venv/.ready-dev: .venv/.created pyproject.toml
	@echo 'Setting up .venv with the tools for development (once) ...'
	@$(PIP) install -e '.[all,dev]'
	@touch .venv/.ready $@

.venv/.ready-fuzz: .venv/.ready-dev
	@$(PIP) install -e '.[fuzz]' || echo 'atheris cannot be installed here: inputs are mutated blindly.'
	@touch $@

# uv resolves to the lowest versions that pyproject.toml allows, and the newest of what they need.
.venv-lowest/.ready: pyproject.toml
	@echo 'Setting up .venv-lowest (once) ...'
	@$(PYTHON) -m venv --clear .venv-lowest
	@.venv-lowest/bin/python -m pip --disable-pip-version-check -q install uv
	@.venv-lowest/bin/uv pip install -q --python .venv-lowest/bin/python \
	  --resolution lowest-direct -e '.[all,test]'
	@touch $@
