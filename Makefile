# The same few commands on a laptop and in CI. `make` alone lists them.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

SOURCES := producer_sdk worker gateway tests benchmarks ops examples
# Tests wait for servers a third of the time, and those that kill servers most of it: four at once keep two cores busy.
# Files begin in the order of tests/conftest.py, the longest first.
TOGETHER := --numprocesses 4 --dist loadfile --no-loadscope-reorder
PYTEST_ARGS ?=
# `-k name` may choose none of a target's tests: pytest ends with 5 then.
OR_NONE := || [ $$? = 5 ]
BENCH_ARGS ?=
CHAOS_ARGS ?=

PROJECTS := producer_sdk/pyproject.toml worker/pyproject.toml gateway/pyproject.toml constraints.txt

# Tests start hundreds of processes: where nothing compiled is kept, each compiles everything again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo check test test-long properties lint style types arrows images sbom audit bench chaos dist docs clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=python3.12 chooses the interpreter, VENV=folder the environment, PYTEST_ARGS='-k name' some of the tests."

demo: $(VENV)/.installed  ## fold an example conversation on this machine, start to end, in under a minute
	@$(BIN)/turnfold demo

check: lint  ## the daily round: lint, and the tests that start no server; a minute and a half
	@$(BIN)/python -m pytest tests/unit tests/contract -m 'not long and not processes and not postgresql' $(TOGETHER) $(PYTEST_ARGS) $(OR_NONE)

test: lint  ## lint, and tests of every kind: a quarter of an hour on two cores
	@$(BIN)/python -m pytest -m 'not long' $(TOGETHER) $(PYTEST_ARGS) $(OR_NONE)

test-long: $(VENV)/.installed-dev  ## the longest kills, storms and rehearsals
	@$(BIN)/python -m pytest -m long $(TOGETHER) $(PYTEST_ARGS) $(OR_NONE)

properties: $(VENV)/.installed-dev  ## every property on ten times as many examples as `make test` tries; before a release
	@$(BIN)/python -m pytest -m hypothesis --hypothesis-profile $@ $(TOGETHER) $(PYTEST_ARGS) $(OR_NONE)

lint: $(VENV)/.installed-dev  ## check style, types, import arrows and Dockerfiles only
	@$(MAKE) --no-print-directory --jobs 2 types style arrows images

style: $(VENV)/.installed-dev
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)

types: $(VENV)/.installed-dev
	@$(BIN)/mypy

arrows: $(VENV)/.installed-dev
	@$(BIN)/lint-imports

images: $(VENV)/.installed-dev
	@$(BIN)/hadolint ops/*.Dockerfile

sbom: build/audit/.installed  ## list all that the three distributions install: build/turnfold.cdx.json, in CycloneDX
	@$(BIN)/python ops/bill.py build/audit/bin/python build/turnfold.cdx.json

audit: sbom  ## look all of the bill of materials up in published advisories; needs a network
	@$(BIN)/python ops/audit.py $$(build/audit/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

bench: $(VENV)/.installed-bench  ## measure reading, writing and what is used today, and write docs/performance.md; ten to twenty minutes
	@PYTHONPATH=tests $(BIN)/python benchmarks/performance.py $(BENCH_ARGS)

chaos: $(VENV)/.installed-dev  ## kill, stop and starve everything, and print the table of docs/reliability.md; half an hour
	@PYTHONPATH=tests $(BIN)/python -m support.chaos_round $(CHAOS_ARGS)

dist: $(VENV)/.installed-dist  ## build the wheels and source archives of a release, check them, and run the demo from them alone
	@$(BIN)/python ops/dist.py

docs: $(VENV)/.installed-docs  ## build the site of docs/ into build/site; a warning is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf producer_sdk/dist worker/dist gateway/dist
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"Turnfold needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. Try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# Hatchling first, so that both distributions are built with the pinned one. Modules are compiled when they are first
# imported: most of what is installed for tests never is.
$(VENV)/.tools: constraints.txt | $(BIN)/python
	$(PIP) install --quiet --no-compile -c constraints.txt pip hatchling editables
	@touch $@

$(VENV)/.installed: $(PROJECTS) $(VENV)/.tools
	$(PIP) install --quiet --no-compile -c constraints.txt --no-build-isolation -e ./producer_sdk -e './worker[embedded,flower,openai]' -e './gateway[mcp]'
	@touch $@

# All of the above at once, and what tests and lint need.
$(VENV)/.installed-dev: $(PROJECTS) pyproject.toml $(VENV)/.tools
	$(PIP) install --quiet --no-compile -c constraints.txt --no-build-isolation -e './producer_sdk[tiktoken]' -e './worker[embedded,flower,openai,postgres,redact,semantic,testing]' -e './gateway[mcp,postgres]' --group dev
	$(PIP) install --quiet --no-compile -c constraints.txt --upgrade --target $(VENV)/traces --group traces
	$(PIP) install --quiet --no-compile -c constraints.txt --upgrade --target $(VENV)/adk --group adk
	@touch $(VENV)/.installed $@

$(VENV)/.installed-audit: pyproject.toml $(VENV)/.tools
	$(PIP) install --quiet --no-compile -c constraints.txt --group audit
	@touch $@

build/audit/.installed: $(PROJECTS) $(VENV)/.installed-audit
	@rm -rf build/audit && $(PYTHON) -m venv --without-pip build/audit
	@$(PIP) --python build/audit/bin/python install --quiet --no-compile -c constraints.txt './producer_sdk[celery,postgres,tiktoken]' './worker[embedded,flower,openai,otel,postgres,redact]' './gateway[mcp,postgres]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(PIP) install --quiet --no-compile -c constraints.txt --group bench
	@touch $@

$(VENV)/.installed-dist: pyproject.toml $(VENV)/.tools
	$(PIP) install --quiet --no-compile -c constraints.txt --group dist
	@touch $@

# mkdocstrings reads the sources as they are: they need not be installed.
$(VENV)/.installed-docs: pyproject.toml $(VENV)/.tools
	$(PIP) install --quiet --no-compile -c constraints.txt --group docs
	@touch $@
