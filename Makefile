# Everything a contributor types. Each target makes what it needs: .venv, packages, jar.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  && command -v $$p && break; done)
VENV := .venv
PY := $(VENV)/bin/python
CLANG_FORMAT := $(VENV)/bin/clang-format
JAVA_SOURCES := git ls-files -z --cached --others --exclude-standard '*.java'
PYTEST := $(PY) -m pytest
# Empty is off: modules are compiled once, not in each of the hundreds of processes of a run.
export PYTHONDONTWRITEBYTECODE :=
# Spark sessions mostly wait: a worker takes half of a core, and runs whole files in order. Four keep
# two cores busy. Each takes 2.5 GB of memory.
WORKERS ?= $(shell awk '/^MemTotal/ {print ($$2 > 15000000 ? 4 : $$2 > 11000000 ? 3 : 2)}' /proc/meminfo 2>/dev/null || echo 2)
SIDE_BY_SIDE := -n $(WORKERS) --dist loadfile --no-loadscope-reorder --write-durations

.DEFAULT_GOAL := help
.PHONY: $(shell grep -oE '^[a-z0-9-]+:' $(firstword $(MAKEFILE_LIST)) | tr -d :)

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

setup: $(VENV)/installed ## make .venv and install the package with all its tools

$(VENV)/installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no Python of version 3.11 or newer with its venv module \
	was found. Install one (Debian, Ubuntu: apt-get install python3 python3-venv), or name it: \
	make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) tools/jdk.py >/dev/null
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check 'setuptools>=77' wheel 'pyspark>=4.2,<5'
	$(PY) -m pip install -q --disable-pip-version-check --no-build-isolation -e '.[dev]'
	@touch $@

jar: setup ## compile the engine into python/groundswell/jars (skipped when up to date)
	@$(PY) setup.py -q build_jar

demo: jar ## a live view over a year of real flights, checked against batch Spark
	$(PY) -m groundswell.demo

check: setup ## what to run before each commit: lint, types, the tests that need no Spark
	@$(MAKE) --no-print-directory -j2 lint check-unit

check-unit: jar # the fixtures of Spark refuse to start there
	$(PYTEST) $(SIDE_BY_SIDE) -q -m 'not soak and not systems' --benchmark-skip tests/unit

# Side by side: what waits here leaves the machine to what computes there.
test: setup ## lint, JUnit and pytest; what is longer runs in `make test-rest`
	@$(MAKE) --no-print-directory -j3 test-pytest test-junit lint || \
	{ grep -h '^FAILED ' build/junit.log; exit 1; } # what pytest printed since has hidden it

test-pytest: jar archive
	@$(PYTEST) $(SIDE_BY_SIDE) -m 'not soak and not systems and not rest' --benchmark-skip tests

test-rest: jar archive ## what `make test` has no time for: further examples, borders, faults, kills, random lives
	@$(PYTEST) $(SIDE_BY_SIDE) -m 'rest and not soak and not systems' --benchmark-skip tests

test-all: setup ## both, one after the other: what CI runs
	@failed=0; $(MAKE) --no-print-directory test || failed=1; \
	$(MAKE) --no-print-directory test-rest || failed=1; \
	$(MAKE) --no-print-directory junit-25 || failed=1; exit $$failed

durations: setup ## take what runs measured into tests/durations.json, which orders the tests of fresh clones
	$(PY) tests/durations.py

archive: jar # JVMs of tests start in less time
	@PYTHONPATH=python $(PY) tests/jvm_options.py

test-junit: jar # one report, when it is over: pytest writes meanwhile
	@$(PY) tools/run_junit.py --optional >build/junit.log 2>&1; junit=$$?; \
	cat build/junit.log; exit $$junit

check-flaky: jar archive ## files of tests that changed since HEAD~1 (BASE=rev), five times each
	@$(PY) tools/flaky.py --base $(or $(BASE),HEAD~1) $(SIDE_BY_SIDE) -m 'not soak and not systems' --benchmark-skip

junit: jar ## the engine's own tests; TESTS=regex picks classes, SEED=n replays a random one
	$(PY) tools/run_junit.py --forks 2 $(if $(TESTS),--tests '$(TESTS)') $(if $(SEED),--define groundswell.seed=$(SEED))

junit-25: jar ## the engine's tests below Spark, on JDK 25 if the machine has one
	$(PY) tools/run_junit.py --optional --java 25 --tests 'io\.groundswell\.(?!spark).*'

mutants: jar ## seeded bugs, each of which the tests that it names must find (ONLY=name: that one)
	$(PY) tools/run_mutants.py $(ONLY)

pytest: jar archive ## the Python and end-to-end tests (WORKERS=n side by side, 0: in one process)
	$(PYTEST) $(SIDE_BY_SIDE) -m 'not soak and not systems' --benchmark-skip tests

# What is left out restarts after a barrier that failed, which Spark 4.2.0 itself cannot do then.
test-spark42: jar $(VENV)42/installed ## the core of operators and views under Spark 4.2.0, with the same jar
	$(VENV)42/bin/python -m pytest -m 'not soak' tests/provider/test_same_rows_as_rocksdb.py \
	  tests/provider/test_jvm_operators.py tests/provider/test_checkpoints.py \
	  tests/provider/test_state_source.py tests/provider/test_spark_contract.py \
	  tests/incremental/test_operators.py tests/incremental/test_runtime.py \
	  tests/incremental/test_aggregates.py tests/incremental/test_windows.py \
	  tests/incremental/test_tables.py tests/incremental/test_recursion.py \
	  --deselect tests/incremental/test_tables.py::test_malformed_debezium_events_fail_views_or_are_set_aside

# Beside .venv and without the package: only Spark differs, and what tests need.
$(VENV)42/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)42
	$(VENV)42/bin/python -m pip install -q --disable-pip-version-check 'pyspark==4.2.0' \
	  'pandas>=2.2,<3' 'pyarrow>=18' 'protobuf>=6.33.5,<7' 'hypothesis>=6.100' 'pytest>=8' \
	  'zstandard>=0.23'
	@touch $@

soak: jar ## the long tests; MINUTES=n for the simulation and the fuzzing (10), and for each kind of random views (2)
	@failed=0; $(PY) tools/run_junit.py --optional --soak \
	  $(if $(MINUTES),--define groundswell.soak.minutes=$(MINUTES)) || failed=1; \
	$(PY) tools/run_mutants.py --optional || failed=1; \
	$(PYTEST) -m 'soak and not systems' --benchmark-skip --durations=20 tests || failed=1; \
	GROUNDSWELL_SEED=$${GROUNDSWELL_SEED:-new} GROUNDSWELL_EXAMPLES=10 GROUNDSWELL_MINUTES=$(or $(MINUTES),2) \
	  $(PYTEST) -s tests/incremental/test_random*.py tests/sql/test_random*.py || failed=1; exit $$failed

$(VENV)/systems: $(VENV)/installed
	$(PY) -m pip install -q --disable-pip-version-check --no-build-isolation -e '.[systems]'
	@touch $@

# Beside .venv: dbt's dependencies are its own. It finds ours behind them.
$(VENV)-dbt/installed: $(VENV)/installed
	$(PYTHON) -m venv $(VENV)-dbt
	$(VENV)-dbt/bin/python -m pip install -q --disable-pip-version-check 'dbt-core==1.11.*' \
	  'dbt-spark[PyHive]==1.11.*' pure-sasl thrift_sasl # older pips do not know PyHive's extra
	@echo "import site; site.addsitedir('$$($(PY) -c "import site; print(site.getsitepackages()[0])")')" \
	  >$$($(VENV)-dbt/bin/python -c "import site; print(site.getsitepackages()[0])")/groundswell.pth
	@touch $@

test-systems: jar $(VENV)/systems $(VENV)-dbt/installed ## real servers on 127.0.0.1, a few faults each; what is not installed is skipped, in one line
	$(PYTEST) $(SIDE_BY_SIDE) -m 'systems and not soak' --benchmark-skip tests/systems

demo-systems: jar $(VENV)/systems ## the demos on real servers: what they print, pictures in build/demos, checks against batch Spark
	@for demo in examples/systems/*.py; do name=$$(basename $$demo .py); echo "== $$name"; \
	  rm -rf build/demos/$$name; PYTHONPATH=python:tests $(PY) $$demo build/demos/$$name || exit 1; done

soak-systems: jar $(VENV)/systems ## real servers, many faults, many rows
	$(PYTEST) -m 'systems and soak' --benchmark-skip --durations=10 tests/systems

soak-memory: jar ## random views and kills with a few KB of memory (BYTES=4000): every barrier spills, and takes passes
	JAVA_TOOL_OPTIONS=-Dgroundswell.memtable.bytes=$(or $(BYTES),4000) \
	  GROUNDSWELL_SEED=$${GROUNDSWELL_SEED:-new} GROUNDSWELL_EXAMPLES=$(or $(EXAMPLES),10) \
	  $(PYTEST) tests/incremental/test_random*.py tests/incremental/test_little_memory.py \
	  tests/incremental/test_relational.py tests/incremental/test_operators.py \
	  tests/incremental/test_windows.py tests/incremental/test_time_to_live.py \
	  tests/incremental/test_policies.py tests/crash

soak-heap: jar ## 20,000 small barriers on two executors: the heap after full collections stays flat (ARGS='--barriers 2000')
	PYTHONPATH=python:benchmarks $(PY) -m heap $(ARGS)

soak-changes: jar ## users of a pipeline in two processes while views come, go, are replaced and rescaled: nobody waits longer than the longest barrier and 5 s (MINUTES=10)
	GROUNDSWELL_MINUTES=$(or $(MINUTES),10) $(PYTEST) -s tests/sql/test_no_stop_under_users.py

soak-cluster: jar ## two hours on a standalone cluster whose executors die; views come and go (ARGS='--minutes 15')
	PYTHONPATH=python:benchmarks:tests $(PY) -m cluster $(ARGS)

bench-skew: jar ## a top-N over all rows: one stage beside two (ARGS='--rows 2000000')
	PYTHONPATH=python:benchmarks $(PY) -m skew $(ARGS)

bench-keys: jar ## half of all rows have one key: aggregates and joins beside even keys (ARGS='--hot 90')
	PYTHONPATH=python:benchmarks $(PY) -m skew.keys $(ARGS)

bench-operators: jar ## rows a second and core of each operator, without Spark (ARGS='500000': rows a barrier)
	$(PY) tools/run_junit.py --main io.groundswell.spark.views.operator.OperatorBenchmark $(ARGS)

bench-batches: jar ## an aggregation that takes rows in batches, beside the one that there is
	$(PY) tools/run_junit.py --main io.groundswell.spark.views.operator.aggregate.BatchedAggregateBenchmark $(ARGS)

bench-decoding: jar ## JSON into rows beside Spark's from_json, rows a second of one thread (ARGS='20': turns)
	$(PY) tools/run_junit.py --main io.groundswell.spark.views.decode.DecodingBenchmark $(ARGS)

bench-json: jar ## streams of JSON read into nothing, beside Spark's own, by CPU time (ARGS='--rows 400000')
	PYTHONPATH=python:benchmarks $(PY) -m decoding $(ARGS)

bench-csv: jar ## streams of CSV files read into nothing, beside Spark's own, by CPU time (ARGS='--rows 400000')
	PYTHONPATH=python:benchmarks $(PY) -m decoding --kinds csv $(ARGS)

bench-recursion: jar ## what is reached in a graph of 1 M edges, and its components, as edges change, beside batch Spark
	PYTHONPATH=python:benchmarks $(PY) -m recursion $(ARGS)

bench-latency: jar ## barriers beside Spark's own micro-batches: empty, and of 1,000 rows
	PYTHONPATH=python:benchmarks $(PY) -m latency $(ARGS)

bench-barriers: jar ## where a barrier's time goes: reading alone, threads, samples (ARGS='--queries q20 --flame build/flame')
	PYTHONPATH=python:benchmarks:tests $(PY) -m barriers $(ARGS)

bench-waiting: jar $(VENV)/systems ## what tasks of barriers wait for, reading files and Kafka: what reading ahead could win (ARGS=--sources=files)
	PYTHONPATH=python:benchmarks:tests $(PY) -m waiting $(ARGS)

bench-joins: jar ## joins of 3 to 5 tables: private states beside shared indexes (ARGS='--lineitems 1000000')
	PYTHONPATH=python:benchmarks $(PY) -m joins $(ARGS)

bench-optimizer: jar ## orders of joins of TPC-H's 22 questions: time to plan, expected cost (ARGS='--run': both orders run)
	PYTHONPATH=python:benchmarks $(PY) -m optimizer $(ARGS)

bench-scale: jar ## many partitions and many views: what a barrier costs (ARGS='--grid 2x1,64x16 --base OTHER_TREE')
	PYTHONPATH=python:benchmarks $(PY) -m scale $(ARGS)

bench-merging: jar ## barriers of a pipeline whose files another process merges (ARGS='--barriers 400')
	PYTHONPATH=python:benchmarks:tests $(PY) -m merging $(ARGS)

bench-filling: jar ## a view is added to a running pipeline: barriers of the others meanwhile, beside batch Spark (ARGS='--rows 500000 --base OTHER_TREE')
	PYTHONPATH=python:benchmarks $(PY) -m filling $(ARGS)

bench-recovery: jar ## seconds from kill -9 of the driver to the next epoch, with and without a standby (ARGS='--rows 100000,1000000')
	PYTHONPATH=python:benchmarks $(PY) -m recovery $(ARGS)

bench-rescale: jar ## states of growing size get another number of partitions (ARGS='--rows 300000,1000000 --steps 2,8,3')
	PYTHONPATH=python:benchmarks $(PY) -m rescale $(ARGS)

bench-policy: jar ## 0.1, 10 and 90 % of a view's rows change: followed, computed anew, chosen by cost (ARGS='--queries sums,join --why')
	PYTHONPATH=python:benchmarks $(PY) -m policy $(ARGS)

bench-start: jar ## fresh processes on each JDK, with and without what `train` keeps: session, first barrier, twenty, TPC-H (ARGS='--runs 3 --spark'; ARGS=--apart: where a restart's time goes)
	PYTHONPATH=python:benchmarks $(PY) -m start $(ARGS)

bench-windows: jar ## an hour of event time in a minute: what is given, and that the state behind it stays flat
	PYTHONPATH=python:benchmarks $(PY) -m windows $(ARGS)

bench-serve: jar ## views over PostgreSQL's protocol: points, 200 connections, scans beside DuckDB on Parquet (ARGS='--rows 5000000')
	PYTHONPATH=python:benchmarks $(PY) -m serve $(ARGS)

bench-use-views: jar ## batch queries answered from views, beside the same queries without, by CPU time (ARGS='--rows 5000000')
	PYTHONPATH=python:benchmarks $(PY) -m rewrite $(ARGS)

bench-feeds: jar ## tables of change events (AUTO CDC): what an event costs beside gs.upserts, and what is kept (ARGS='--keys 200000')
	PYTHONPATH=python:benchmarks $(PY) -m feeds $(ARGS)

bench-refresh: jar ## TPC-H views of Delta tables with 1 % changed: refreshed, and computed anew (ARGS='--scale 0.1')
	PYTHONPATH=python:benchmarks $(PY) -m refresh $(ARGS)

bench-fill: jar ## TPC-H's 22 views of tables that are there, in a heap of fixed size (ARGS='--scale 1 --memory 2g')
	PYTHONPATH=python:benchmarks $(PY) -m fill $(ARGS)

bench-tpcds: jar $(VENV)-tpcds/installed ## TPC-DS's 99 queries as views while all tables change, each compared with batch Spark (ARGS='--queries 1,14,64 --epochs 5')
	PYTHONPATH=python:benchmarks $(PY) -m tpcds --python $(VENV)-tpcds/bin/python $(ARGS)

# Beside .venv: the extension fits one release of DuckDB.
$(VENV)-tpcds/installed:
	$(PYTHON) -m venv $(VENV)-tpcds
	$(VENV)-tpcds/bin/python -m pip install -q --disable-pip-version-check 'duckdb==1.5.5' \
	  'duckdb-extension-tpcds==1.5.5'
	@touch $@

bench-freshness: jar $(VENV)/systems ## from the send to Kafka to the row in Postgres, beside foreachBatch (ARGS='--seconds 300 --rates 1000')
	PYTHONPATH=python:tests:benchmarks $(PY) -m freshness $(ARGS)

bench-store: jar ## our state store beside Spark's (ARGS='--rows 1000000', ARGS='--cases large')
	$(PYTEST) benchmarks/store --benchmark-only $(ARGS)

bench-store-beside: jar ## our state store beside that of another tree, in turns, by processor time (ARGS='--base OTHER_TREE')
	PYTHONPATH=python:benchmarks $(PY) -m store.beside $(ARGS)

bench-store-turns: jar ## one figure of stores and settings, in turns (ARGS='--variants groundswell groundswell,blockBytes=2048 rocksdb')
	PYTHONPATH=python:benchmarks $(PY) -m store.turns $(ARGS)

bench-queries: jar ## whole streaming queries with each state store
	$(PYTEST) benchmarks/queries --benchmark-only $(ARGS)

bench-large: jar ## a barrier larger than memory beside twenty; one join key (ARGS='--cases q20 --memory 2g')
	PYTHONPATH=python:benchmarks $(PY) -m large $(ARGS)

bench-views: jar ## Nexmark views beside Spark's own streaming and recomputation (ARGS='--events 5000000')
	$(PYTEST) benchmarks/views --benchmark-only $(ARGS)

bench-peers: jar $(VENV)-flink/installed $(VENV)-pathway/installed ## views beside Flink and Pathway (ARGS='--events 5000000 --write')
	PYTHONPATH=python:benchmarks:tests $(PY) -m peers --flink $(VENV)-flink/bin/python \
	  --pathway $(VENV)-pathway/bin/python $(ARGS)

bench-peers-kafka: jar $(VENV)/systems $(VENV)-flink/installed $(VENV)-pathway/installed ## the same, all reading from one broker of its own
	PYTHONPATH=python:benchmarks:tests $(PY) -m peers --source kafka --flink $(VENV)-flink/bin/python \
	  --pathway $(VENV)-pathway/bin/python $(ARGS)

bench-peers-memory: jar $(VENV)-flink/installed ## the smallest heap in which views, and Flink, take 20 M events (ARGS='--events 5000000 --heaps 256m,512m,1g')
	PYTHONPATH=python:benchmarks:tests $(PY) -m peers.memory --flink $(VENV)-flink/bin/python $(ARGS)

bench-dbsp: jar ## six views beside Feldera's engine, the dbsp crate (needs cargo; ARGS='--events 5000000')
	cargo build -q --release --manifest-path benchmarks/peers/dbsp/Cargo.toml --target-dir build/dbsp
	PYTHONPATH=python:benchmarks:tests $(PY) -m peers --engines ours,dbsp --dbsp build/dbsp \
	  --queries totals,q3,q4,q18,q20,distinct $(ARGS)

# Each beside .venv: their own dependencies do not fit ours (or each other's).
$(VENV)-flink/installed:
	$(PYTHON) -m venv $(VENV)-flink
	$(VENV)-flink/bin/python -m pip install -q --disable-pip-version-check 'apache-flink==2.3.0'
	@touch $@

$(VENV)-pathway/installed:
	$(PYTHON) -m venv $(VENV)-pathway
	$(VENV)-pathway/bin/python -m pip install -q --disable-pip-version-check 'pathway==0.33.*'
	@touch $@

bench-checkpoints: jar ## objects and time a batch costs on slow storage, beside RocksDB's
	@$(PY) setup.py -q build_test_tools
	PYTHONPATH=python:benchmarks $(PY) -m checkpoints.run $(ARGS)

bench-overlap: jar ## views on slow storage: barriers that wait for their checkpoints, and that do not (ARGS='--put 300 --overlap 3')
	@$(PY) setup.py -q build_test_tools
	PYTHONPATH=python:benchmarks:tests $(PY) -m checkpoints.overlap $(ARGS)

check-benchmarks: jar ## every benchmark once, as small as it goes, to see that it still runs (ARGS='bench-fill bench-joins')
	PYTHONPATH=python:benchmarks $(PY) -m smallest $(ARGS)

docs-walk: setup jar ## every block of README, tutorials and notebook, in order, in one empty folder
	@rm -rf build/walk
	$(PY) tools/docs_walk.py build/walk

docs: $(VENV)/docs-installed jar ## the documentation site, into build/site; warnings are errors
	$(PY) tools/reference.py --check
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build -q --strict
	$(PY) tools/llms.py build/site

$(VENV)/docs-installed: $(VENV)/installed
	$(PY) -m pip install -q --disable-pip-version-check --no-build-isolation -e '.[docs]'
	@touch $@

dist: jar ## wheel, sdist and Maven folder in dist/, each checked in an empty environment
	$(PY) -m pip install -q --disable-pip-version-check --no-build-isolation -e '.[release]'
	$(PY) tools/dist.py $(ARGS)

lint: setup ## ruff, mypy and the Java format, without changing anything
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	@$(JAVA_SOURCES) | xargs -0 -r $(CLANG_FORMAT) --dry-run --Werror

contract: setup ## write the JVM's records of groundswell.contract
	$(PY) tools/contract.py
	@$(MAKE) --no-print-directory jar

format: setup ## apply ruff's and clang-format's style
	$(PY) -m ruff check --fix-only -q .
	$(PY) -m ruff format .
	@$(JAVA_SOURCES) | xargs -0 -r $(CLANG_FORMAT) -i

clean: ## remove what builds and tests leave, but not .venv
	rm -rf build dist out .gradle .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -rf python/groundswell/jars python/*.egg-info spark-warehouse
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
