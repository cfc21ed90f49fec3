# `make run` and `make test` each do all their own set-up (.ci/setup) and need only Python 3.11, make and a network.
SHELL = /bin/sh
.DEFAULT_GOAL = help
.PHONY: help run test setup lint fast slow bench pins clean

bin = .venv/bin
# Each worker has its own browser, server and database: with more of the slow ones than cores, phones become late.
pytest = $(bin)/python -m pytest -q --dist=loadgroup

help:
	@echo "make run     start the companion on this network (ARGS=\"--port 9000\" is handed on)"
	@echo "make test    check everything: style, types, imports, tests"
	@echo "make lint    style, types and imports only      make fast   the quick tests only"
	@echo "make bench   the measurements                   make pins   renew the pinned packages (needs uv)"
	@echo "make clean   take away what these made"

run:
	@PYTHON="$(PYTHON)" .ci/setup run
	@exec $(bin)/python -m companion serve $(ARGS)

test: lint fast slow

setup:
	@PYTHON="$(PYTHON)" .ci/setup dev

lint: setup
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/lint-imports --no-cache

fast: setup
	$(pytest) -n auto --maxprocesses=4 -m "not slow and not browser"

slow: setup
	$(pytest) -n 2 --durations=15 -m "slow or browser"

bench: setup
	@for file in tests/bench/bench_*.py; do \
		echo "== $$file"; $(bin)/python -m tests.bench.$$(basename $$file .py) || exit 1; done

pins:
	cd .requirements && for name in dev run hosted; do \
		uv pip compile -q --generate-hashes --universal --python-version 3.11 --no-annotate --no-header \
			--no-emit-index-url --no-emit-find-links $$( [ $$name = dev ] || echo "-c dev.txt" ) $$name.in -o $$name.txt || exit 1; done

clean:
	rm -rf .venv dist build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find companion tests -name __pycache__ -type d -prune -exec rm -rf {} +
