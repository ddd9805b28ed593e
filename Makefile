# `make help` lists the targets. Everything is set up on the first call, into .venv.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
WORKERS ?= 2
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup base-image run full test lint bench bench-speed bench-corpus bench-outside bench-resume bench-search bench-monitor bench-grading bench-harbor bench-harbor-docker bench-selection bench-solve bench-swebench leaks-plant leaks-traces redteam test-consumers clean

help: ## List the targets and what they do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: .venv/.ready ## Install featuredel and what it needs into .venv, and bubblewrap if it is missing

.venv/.ready: pyproject.toml uv.lock bin/setup
	bin/setup "$(PYTHON)"
	touch $@

run: setup ## Make tasks from the repositories in repos.yaml (about three minutes on two cores)
	$(BIN)/python -m pipelines.smoke --workers $(WORKERS)

full: setup ## The same from a file of yours, into data/full: make full REPOS=my-repos.yaml
	$(BIN)/python -m pipelines.full $(or $(REPOS),repos.yaml) --workers $(WORKERS)

test: setup lint ## Lint, type-check and run the tests
	$(BIN)/python -m pytest

lint: setup ## Ruff and mypy alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: bench-speed ## The speed benchmark; bench-corpus and the others are jobs of their own

bench-speed: setup ## What tasks cost against cold runs of whole suites (hours), and every verdict that differs
	$(BIN)/python -m bench.speed

bench-corpus: setup ## The main job on bench/corpus.yaml (hours), and its figures
	$(BIN)/python -m pipelines.full bench/corpus.yaml --workers $(WORKERS) --out data/corpus
	$(BIN)/python -m bench.figures data/corpus bench/expected.yaml

bench-outside: setup ## The same on bench/outside.yaml: projects that nothing here was tuned for
	$(BIN)/python -m pipelines.full bench/outside.yaml --workers $(WORKERS) --out data/outside
	$(BIN)/python -m bench.figures data/outside

bench-resume: setup ## Whether a run of repos.yaml that is killed twice ends with the same bytes
	$(BIN)/python -m bench.resume

bench-search: setup ## Whether a solver that only searches finds anything: make bench-search DATA=data/smoke
	$(BIN)/python -m bench.search $(or $(DATA),data/smoke)

bench-grading: setup ## What grading the tasks in DATA=data/smoke costs beside their tests
	$(BIN)/python -m bench.grading $(or $(DATA),data/smoke)

bench-swebench: setup ## What swebench's own code makes of the tasks in DATA=data/smoke
	PYTHONPATH=tests $(BIN)/python -m bench.swebench $(or $(DATA),data/smoke)

bench-solve: setup ## What a scripted honest solver, one that does nothing and a cheat earn at tasks of DATA=data/smoke
	$(BIN)/python -m bench.solve $(or $(DATA),data/smoke)

bench-monitor: setup ## What the monitor finds in labelled trajectories: precision, recall, false alarms
	$(BIN)/python -m bench.monitor

bench-harbor: setup ## What Harbor makes of the tasks in DATA=data/smoke: linter, oracle, nothing, planted files
	PYTHONPATH=tests $(BIN)/python -m bench.harbor $(or $(DATA),data/smoke)

bench-harbor-docker: setup ## The same in Harbor's own Docker environment; needs an engine and docker compose
	PYTHONPATH=tests $(BIN)/python -m bench.harbor $(or $(DATA),data/smoke) docker

bench-selection: setup ## Calibration and selection on a simulated learner, and on a million tasks
	$(BIN)/python -m bench.selection $(or $(DATA),data/smoke)

base-image: setup ## Build the base image of the sandbox docker from Debian's packages (no registry needed)
	$(BIN)/featuredel base-image $(if $(SUITE),--suite $(SUITE)) $(foreach p,$(PACKAGES),--package $(p))

leaks-plant: setup ## Plant deleted code in every artefact that keeps it, and see what the leak scan finds
	test -d data/smoke/tasks || $(MAKE) run
	$(BIN)/python -m bench.plant data/smoke

leaks-traces: setup ## Scan all that solvers get of the tasks in DATA=data/smoke
	$(BIN)/python -m bench.traces $(or $(DATA),data/smoke)

redteam: setup ## Attack the grader on a task of each of three projects of DATA=data/smoke; tasks need controls
	$(BIN)/python -m bench.redteam $(or $(DATA),data/smoke)

test-consumers: setup ## Prove the exporters on DATA=data/smoke with the consumers' own packages (some GB)
	test -d $(or $(DATA),data/smoke)/tasks || $(MAKE) run
	$(BIN)/python -m bench.consumers $(or $(DATA),data/smoke)

clean: ## Remove what the targets above made here (not the cache in your home)
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
