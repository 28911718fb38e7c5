# Everything a contributor needs, each by one word. `make setup` makes .venv; nothing is installed outside it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
NODE_STAMP := node_modules/.ready
LAB := tests/lab
TORCH ?= 2.13.0
LAB_STAMP := $(LAB)/.venv/.ready-$(TORCH)

.PHONY: setup demo test check format accuracy catalog bench extension vsix e2e screenshots lab lab-ci lab-setup lab-accept clean

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

test: check
	@$(BIN)/pytest
	@$(BIN)/python -m tests.accuracy

check: catalog
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright
	@$(BIN)/firstfault signature lint

format: setup
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

# The second command also writes docs/accuracy.md; denpex and runmedic, where installed, take it some minutes.
accuracy: catalog
	@$(BIN)/python -m tests.accuracy
	@$(BIN)/python -m tests.accuracy.compare docs/accuracy.md

bench: catalog
	@$(BIN)/python -m benchmarks

# The VS Code extension: lint, types, unit tests, bundle. Needs Node 20 or newer.
extension: $(NODE_STAMP)
	@npm run --silent check
	@npm run --silent build

$(NODE_STAMP): package.json package-lock.json
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The package for this machine; others by name: make vsix TARGET=all
vsix: setup $(NODE_STAMP)
	@$(BIN)/python tools/build_vsix.py $(addprefix --target ,$(TARGET))

# The packed extension in real VS Code, one test for each thing a user does; what it needs is set up once and kept in ~/.cache.
# Words choose among them: make e2e STORIES="terminal panel". What it looked like: build/e2e/screenshots.
e2e: vsix
	@./tests/editor/e2e/run.sh $(STORIES)

# The same, and the screenshots that the README shows are renewed.
screenshots: vsix
	@FIRSTFAULT_SCREENSHOTS=tests/editor/screenshots ./tests/editor/e2e/run.sh $(STORIES)

# Real training runs with a fault put into one rank, with PyTorch in an environment of its own; make lab TORCH=X tries another release.
lab: catalog lab-setup
	@FIRSTFAULT_LAB=1 $(BIN)/pytest $(LAB)

# The dozen of continuous integration. Where PyTorch or a launcher cannot be had it names the runs that were left out; they are no failure.
lab-ci: catalog
	@$(MAKE) --no-print-directory lab-setup || true
	@FIRSTFAULT_LAB=ci $(BIN)/pytest $(LAB)

lab-setup: $(LAB_STAMP)

$(LAB_STAMP): $(LAB)/setup.sh
	@./$(LAB)/setup.sh "$(PYTHON)" "$(TORCH)" $(LAB)/.venv
	@touch $@

# Takes the logs that changed as the ones to compare with from now on.
lab-accept:
	@test -d $(LAB)/changed || { echo "nothing to accept; make lab keeps logs that changed" >&2; exit 2; }
	@mkdir -p $(LAB)/seen && cp -R $(LAB)/changed/. $(LAB)/seen/ && rm -r $(LAB)/changed

clean:
	rm -rf $(VENV) node_modules extension/dist bundled build/wheels $(LAB)/.venv $(LAB)/changed server/firstfault/_catalog.jsonl
