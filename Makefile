# Two commands do everything: `make check` runs the main job, `make test` the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup check test lint build lock expectations spark spark-test oldest wasm clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

check: setup
	$(BIN)/cardbook check

test: setup
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

build: setup
	$(BIN)/cardbook build

$(VENV)/.expectations: requirements-expectations.lock setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-expectations.lock
	touch $@

expectations: $(VENV)/.expectations
	$(BIN)/python validators/expectations/run.py

$(VENV)/.spark: requirements-spark.lock setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-spark.lock
	touch $@

spark: $(VENV)/.spark

spark-test: spark
	$(BIN)/python -m pytest -rs tests/test_spark.py

# The readers of a release that are not in the lock file: the oldest ones that docs/contracts.md
# promises, and duckdb-wasm under node.
oldest:
	$(PYTHON) -m venv build/oldest
	build/oldest/bin/python -m pip install --quiet --disable-pip-version-check -r tests/readers/oldest.txt
	$(BIN)/python -m pytest -rs tests/test_readers.py -k oldest

wasm:
	mkdir -p build/wasm
	cd build/wasm && npm install --no-save --no-audit --no-fund @duckdb/duckdb-wasm@1.32.0
	$(BIN)/python -m pytest -rs tests/test_readers.py -k wasm

# Maintainers: resolve the pins again (needs uv).
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra dev -o requirements.lock pyproject.toml
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra expectations -c requirements.lock -o requirements-expectations.lock pyproject.toml
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra spark -c requirements.lock -o requirements-spark.lock pyproject.toml

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
