# `make help` lists the targets. Everything is set up on the first call, into .venv.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
WORKERS ?= 2
DATA ?= data/smoke
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup base-image run full test lint clean leaks-plant leaks-traces redteam test-consumers \
	bench bench-speed bench-corpus bench-outside bench-resume bench-search bench-grading bench-monitor \
	bench-selection bench-solve bench-swebench bench-harbor bench-harbor-docker bench-trainers

help: ## List the targets and what they do (DATA is data/smoke if not given)
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

setup: .venv/.ready ## Install featuredel and what it needs into .venv, and bubblewrap

.venv/.ready: pyproject.toml uv.lock bin/setup
	bin/setup "$(PYTHON)"
	touch $@

run: setup ## Make tasks from the repositories in repos.yaml (about three minutes on two cores)
	$(BIN)/python -m pipelines.smoke --workers $(WORKERS)

data/smoke/tasks:
	$(MAKE) run

full: setup ## The same from a file of yours, into data/full: make full REPOS=my-repos.yaml
	$(BIN)/python -m pipelines.full $(or $(REPOS),repos.yaml) --workers $(WORKERS)

test: setup lint ## Lint, type-check and run the tests
	$(BIN)/python -m pytest

lint: setup ## Ruff and mypy alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: bench-speed ## The speed benchmark; bench-corpus and the others are jobs of their own

bench-speed: setup ## Tasks against cold runs of whole suites (hours): cost, and verdicts that differ
	$(BIN)/python -m bench.speed

bench-corpus: setup ## The main job on bench/corpus.yaml (hours), and its figures
	$(BIN)/python -m pipelines.full bench/corpus.yaml --workers $(WORKERS) --out data/corpus
	$(BIN)/python -m bench.figures data/corpus bench/expected.yaml

bench-outside: setup ## The same on bench/outside.yaml: projects that nothing here was tuned for
	$(BIN)/python -m pipelines.full bench/outside.yaml --workers $(WORKERS) --out data/outside
	$(BIN)/python -m bench.figures data/outside

bench-resume: setup ## Whether a run of repos.yaml that is killed twice ends with the same bytes
	$(BIN)/python -m bench.resume

bench-search: setup ## Whether a solver that only searches finds anything of the tasks in DATA
	$(BIN)/python -m bench.search $(DATA)

bench-grading: setup ## What grading the tasks in DATA costs beside their tests
	$(BIN)/python -m bench.grading $(DATA)

bench-swebench: setup ## What swebench's own code makes of the tasks in DATA
	PYTHONPATH=tests $(BIN)/python -m bench.swebench $(DATA)

bench-solve: setup ## What scripted solvers earn at tasks of DATA: honest, idle and cheating
	$(BIN)/python -m bench.solve $(DATA)

bench-monitor: setup ## What the monitor finds in labelled trajectories: precision, recall, false alarms
	$(BIN)/python -m bench.monitor

bench-harbor: setup ## What Harbor makes of the tasks in DATA: linter, oracle, nothing, planted files
	PYTHONPATH=tests $(BIN)/python -m bench.harbor $(DATA)

bench-harbor-docker: setup ## The same in Harbor's own Docker environment; needs an engine and docker compose
	PYTHONPATH=tests $(BIN)/python -m bench.harbor $(DATA) docker

bench-trainers: setup ## Which gold patches of DATA earn their reward in TRL, VeRL and verifiers (some GB)
	$(BIN)/python -m bench.trainers $(DATA)

bench-selection: setup ## Calibration and selection on a simulated learner, and on a million tasks
	$(BIN)/python -m bench.selection $(DATA)

base-image: setup ## Build the base image of the sandbox docker from Debian's packages
	$(BIN)/featuredel base-image $(if $(SUITE),--suite $(SUITE)) $(foreach p,$(PACKAGES),--package $(p))

leaks-plant: setup data/smoke/tasks ## Plant deleted code in every artefact that keeps it, and scan for it
	$(BIN)/python -m bench.plant data/smoke

leaks-traces: setup ## Scan all that solvers get of the tasks in DATA
	$(BIN)/python -m bench.traces $(DATA)

redteam: setup ## Attack the grader on tasks of three projects of DATA, which need controls
	$(BIN)/python -m bench.redteam $(DATA)

test-consumers: setup $(DATA)/tasks ## Prove the exporters on DATA with the consumers' own packages (some GB)
	$(BIN)/python -m bench.consumers $(DATA)

clean: ## Remove what the targets above made here (not the cache in your home)
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
