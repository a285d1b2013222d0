# make demo and make test need Python >= 3.11, make and a package index; everything else goes into .venv,
# in the versions of constraints.txt. The demo installs the package alone, the tests add what they compare it with.
PYTHON ?= python3
BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test docs lint dist clean

.venv/installed-core: pyproject.toml constraints.txt
	@echo "installing the package into .venv (once, about a minute, 0.8 GB)"
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable .
	touch $@

.venv/installed-dev: .venv/installed-core
	@echo "installing what the tests need into .venv (once, a few minutes, 2 GB more)"
	$(INSTALL) --editable ".[dev]"
	touch $@

demo: .venv/installed-core
	$(BIN)/irbmodels demo

# One thread of linear algebra in each of pytest's processes: more of them only wait for each other.
# The tests of a file stay together, so that what they share is made once.
test: .venv/installed-dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile

# The site, in build/site: its notebooks and its reference are of the wheel, which PYTHONPATH puts first.
docs: .venv/installed-dev
	rm -rf build/wheel build/installed
	$(BIN)/python -m build --quiet --wheel --outdir build/wheel
	$(INSTALL) --no-deps --target build/installed build/wheel/*.whl
	PYTHONPATH=build/installed $(BIN)/sphinx-build -W --keep-going -q -j auto -d build/doctrees docs build/site

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

# Source archive and wheel, built again elsewhere and compared; the wheel is installed and tried from another folder.
dist: .venv/installed-dev
	$(BIN)/python -m build --quiet --sdist --wheel
	$(BIN)/python scripts/check_dist.py dist

clean:
	rm -rf .venv build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
