# Everything a contributor needs, each by one word. `make setup` makes .venv; nothing is installed outside it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup demo test check format accuracy catalog bench clean

setup: $(STAMP)

$(STAMP): requirements-dev.lock pyproject.toml
	@./tools/make-venv "$(PYTHON)" "$(VENV)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

catalog: setup
	@$(BIN)/python -m firstfault.catalog signatures server/firstfault/_catalog.jsonl

demo: catalog
	@FORCE_COLOR=1 $(BIN)/firstfault diagnose docs/demo/eight-ranks.log || test $$? -eq 1

test: catalog
	@$(MAKE) --no-print-directory check
	@$(BIN)/pytest
	@$(BIN)/python -m tests.accuracy

check: catalog
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright
	@$(BIN)/firstfault signature lint

format: setup
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

accuracy: catalog
	@$(BIN)/python -m tests.accuracy

bench: catalog
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) server/firstfault/_catalog.jsonl
