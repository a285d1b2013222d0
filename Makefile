# make test and make demo need Python >= 3.11, make and a package index; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: test demo lint clean

.venv/installed: pyproject.toml
	@echo "installing into .venv (once, about a minute)"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

# One thread of linear algebra in each of pytest's processes: more of them only wait for each other.
test: .venv/installed
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

demo: .venv/installed
	$(BIN)/irbmodels demo

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
