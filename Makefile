# Everything that can be done with this package, in one word each. `make` alone lists the words.

# All targets share one build, apart from the one that `swift build` and editors use, so that neither undoes the other.
SCRATCH := .build/make
SWIFT_FILES := Package.swift Sources Examples Tests Benchmarks

# A warning is an error with every compiler that there was when this was written. A later one may add
# warnings, which must not prevent the demo from running. `make check` is strict with all of them.
KNOWN_COMPILERS := 6.1 6.2 6.3
COMPILER := $(shell swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
STRICT := -Xswiftc -warnings-as-errors
FLAGS = --scratch-path $(SCRATCH) $(if $(filter $(KNOWN_COMPILERS),$(COMPILER)),$(STRICT))
check check-%: FLAGS = --scratch-path $(SCRATCH) $(STRICT)

# Runs one suite of Tests/PackageTests, which is where most gates are written; prints only what fails.
GATE = swift test $(FLAGS) --disable-xctest --quiet --filter

# The report of a crash says where it was, without thousands of lines about other threads, registers and libraries.
export SWIFT_BACKTRACE = enable=yes,interactive=no,color=no,threads=crashed,registers=none,images=none

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-build demo test test-poolers test-citus test-pyicloud differential model simulate loopback mutants crash soak tsan check check-format check-warnings check-length check-arrows \
	check-docs check-unsafe check-readme check-language check-api docs articles guide format fuzz bench bench-quick bench-server clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install the system packages that are missing (apt or brew)
	@Scripts/setup.sh

setup-build:
	@Scripts/setup.sh build

demo: setup-build ## Build the examples, and play their stories in a temporary folder and on a server of their own
	swift build $(FLAGS) --product shopping-list
	swift build $(FLAGS) --product notes
	swift build $(FLAGS) --product cabinet
	@store=$$(mktemp -d) && trap 'rm -rf "$$store"' EXIT && trap 'exit 130' INT TERM && \
		bin=$$(swift build $(FLAGS) --show-bin-path) && \
		"$$bin/shopping-list" demo --store "$$store/lists" && echo && "$$bin/notes" demo --store "$$store/notes" && \
		echo && Scripts/demo-server.sh "$$bin" "$$store/server"

# Tests without a limit open more than 1,024 files, and Foundation checks only so many when it starts a process. Toolchains before 6.3
# do not have this option.
WIDTH = $(shell swift test --help-hidden 2>/dev/null | grep -q -- --experimental-maximum-parallelization-width \
	&& echo --experimental-maximum-parallelization-width 24)

# The rules of all backends keep the machine busy for minutes. Apart from the others, whose time limits would measure that.
CROWD := CabinetConformanceTests|CrossBackendTests|CabinetPostgresTests|ServiceRuleTests|CabinetRemoteTests|ServingTests|CabinetICloudTests|CloudKitRuleTests|CabinetMirrorTests

# A conformance rule as failures print it, `batches: a batch saves and deletes at once`, on every backend.
RULE = $(if $(filter %:,$(FILTER)),$(FILTER))
test: export CABINET_RULE = $(RULE)
test: setup ## Run every test, or with FILTER=name those whose names match, or one conformance rule
ifdef FILTER
	swift test $(FLAGS) --disable-xctest $(WIDTH) --filter '$(if $(RULE),/rule[^a-z],$(FILTER))'
else
	swift test $(FLAGS) --disable-xctest $(WIDTH) --skip '$(CROWD)'
	swift test $(FLAGS) --disable-xctest $(WIDTH) --skip-build --filter '$(CROWD)'
endif

test-poolers: setup ## Run every rule behind PgBouncer: PGBOUNCER=path of version 1.21 or later for transaction mode
	@Scripts/test-poolers.sh $(FLAGS) --disable-xctest $(WIDTH)

test-citus: setup ## Run every rule, and crashes and moves of shards, on a Citus cluster; CITUS=path builds a source tree first
	@Scripts/test-citus.sh swift test $(FLAGS) --disable-xctest $(WIDTH) --filter 'CitusConformanceTests'
	@Scripts/test-citus.sh swift test $(FLAGS) --disable-xctest $(WIDTH) --skip-build --filter 'CitusTests'

test-pyicloud: setup ## Run the CloudKit client of pyicloud, from PyPI, against a server
	swift build $(FLAGS) --product cabinet
	@Scripts/test-pyicloud.sh $$(swift build $(FLAGS) --show-bin-path)/cabinet

differential: setup ## Hold the stores against the evaluator with many made-up queries: ROUNDS=100
	CABINET_DIFFERENTIAL_ROUNDS=$(or $(ROUNDS),100) swift test $(FLAGS) --disable-xctest --filter QueryAgreementTests

loopback: setup ## Run every rule through coded requests in memory, and through HTTP in SQLite and PostgreSQL; `make test` runs each through HTTP once
	CABINET_LOOPBACK=all swift test $(FLAGS) --disable-xctest $(WIDTH) --filter 'ServiceRuleTests|RemoteRuleTests'

mutants: setup-build ## Try every conformance rule on the broken backends until one breaks it
	CABINET_ALL_MUTANTS=1 swift test $(FLAGS) --disable-xctest $(WIDTH) --filter MutantTests

model: setup-build ## Hold the stores and sync engines against simple models of many made-up operations: ROUNDS=100
	CABINET_MODEL_ROUNDS=$(or $(ROUNDS),100) swift test $(FLAGS) --disable-xctest --filter ModelTests

simulate: setup-build ## Run mirrors against a server whose network and processes fail, with 10,000 seeds, or SEEDS=501-1000
	CABINET_SIMULATION_SEEDS=$(or $(SEEDS),10000) swift test $(FLAGS) --disable-xctest --filter MirrorSimulationTests

crash: setup-build ## Fail each file system call of small programs once, and kill them before it; SEED=1:60 samples for 60 seconds each
	CABINET_CRASH=$(or $(SEED),all) swift test $(FLAGS) --disable-xctest --filter CrashTests

# The duration of `make soak`, in seconds.
SECONDS_TO_SOAK ?= 3600

soak: setup-build ## Kill a server forty times, cut its network for minutes, and keep clients at it, for SECONDS_TO_SOAK seconds (3600)
	CABINET_SOAK=$(SECONDS_TO_SOAK) CABINET_SOAK_SEED=$(SEED) swift test $(FLAGS) --disable-xctest --filter ServingTests

# The suites of tasks and threads that meet.
TSAN := AsyncLockTests|BlockingExecutorTests|ThreadExecutorTests|ResourcePoolTests|PromiseTests|WriteTaskTests|UploadBufferTests
TSAN := $(TSAN)|ChangeTrackerTests|ChangeHistoryTests|LiveQueryTests|PollingTests|SyncEngineTests|GroupCommitTests|ThreadTests|LifetimeTests

tsan: setup-build ## Run the suites of concurrent work with the thread sanitizer, in a build of its own (many minutes)
	swift build --scratch-path .build/tsan --sanitize=thread --build-tests
	clang -shared -fPIC -O1 -o .build/tsan/mutex.so Tests/Support/ThreadSanitizer/mutex.c
	LD_PRELOAD=$(CURDIR)/.build/tsan/mutex.so swift test --scratch-path .build/tsan --sanitize=thread --skip-build --disable-xctest $(WIDTH) \
		--filter '$(TSAN)'

check: check-format check-warnings check-length check-arrows check-docs check-unsafe check-readme check-language check-api ## Run every gate
	@echo "check: all gates passed"

check-format: ## Gate: formatted as .swift-format says
	@swift format lint --strict --parallel --recursive $(SWIFT_FILES) || \
		{ echo "check-format: 'make format' repairs most of this" >&2; exit 1; }

# The optimizer has crashed on a function that a debug build compiles, and broken one that each request of a server calls.
check-warnings: setup-build ## Gate: everything compiles without a warning, optimized too, and an optimized server works
	swift build $(FLAGS) --build-tests
	swift build $(FLAGS) -c release --product cabinet
	swift build $(FLAGS) -c release --product shopping-list
	@store=$$(mktemp -d) && trap 'rm -rf "$$store"' EXIT && trap 'exit 130' INT TERM && \
		Scripts/demo-server.sh "$$(swift build $(FLAGS) -c release --show-bin-path)" "$$store/server" >/dev/null

check-length: setup-build ## Gate: no Swift file over 400 lines; prints the median
	$(GATE) PackageTests.LengthTests

check-arrows: setup-build ## Gate: imports and the core's folders point one way, types are in files of their names, no SQL in Cabinet, and SQL backends share code
	Scripts/check-layers.sh
	$(GATE) PackageTests.ArrowTests --filter PackageTests.FileNameTests --filter PackageTests.DuplicateTests

check-docs: setup-build ## Gate: every public declaration has a doc comment
	$(GATE) PackageTests.DocumentationTests

check-unsafe: setup-build ## Gate: nothing traps, every unchecked promise says why it holds
	$(GATE) PackageTests.SafetyTests

check-readme: setup-build ## Gate: README's code is compiled code, its output is real output, the lists of products and folders are right
	$(GATE) PackageTests.ReadmeTests --filter PackageTests.LayoutTests
	Scripts/articles.py --check

check-language: setup ## Gate: comments, articles and messages are plain English
	@Scripts/check-language.py

check-api: setup-build ## Gate: no public declaration of the last release is missing; BASE=tag compares with another
	@Scripts/check-api.sh "$(BASE)" --scratch-path $(SCRATCH)

docs: setup-build ## Build the documentation into .build/docs
	Scripts/docs.sh .build/docs $(FLAGS)

articles: ## Write the articles into Documentation, with links that a forge follows
	Scripts/articles.py

guide: setup-build ## Type README, "Getting started" and "Writing a backend" into empty packages, and compare their output (2 to 5 minutes)
	@Scripts/guide.sh README .build/readme $(STRICT)
	@Scripts/guide.sh GettingStarted .build/getting-started $(STRICT)
	@Scripts/guide.sh WritingABackend .build/guide $(STRICT)

# The duration of `make fuzz`, in seconds.
SECONDS_TO_FUZZ ?= 60

fuzz: ## Fuzz the parser of filters and the readers of a network's bytes, SECONDS_TO_FUZZ seconds each (60), or FUZZ="token form"
	@Scripts/fuzz.sh .build/fuzz $(SECONDS_TO_FUZZ) $(FUZZ)

# The numbers of records that a benchmark stores, one after the other, and the number of rounds.
N ?= 10000 100000 1000000
BENCH_ROUNDS ?= 5
# Further arguments of the benchmark, such as `--rows a,k`, `--suites sqlite`, `--json FILE` or `--charts FOLDER`.
BENCH_ARGUMENTS ?=

bench: setup-build ## Compare Cabinet with plain C doing the same work: N="10000 100000 1000000" records, BENCH_ROUNDS=5
	swift build $(FLAGS) -c release --product Benchmarks
	@"$$(swift build $(FLAGS) -c release --show-bin-path)/Benchmarks" $(N) --rounds $(BENCH_ROUNDS) $(BENCH_ARGUMENTS)

bench-quick: ## The same with 10,000 records, three times: about a minute
	@$(MAKE) --no-print-directory bench N=10000 BENCH_ROUNDS=3

bench-server: setup-build ## Measure `cabinet serve` with wrk, beside a constant answer and the same work by hand: BENCH_SECONDS=5 for each row
	swift build $(FLAGS) -c release --product cabinet
	@Scripts/bench-server.sh "$$(swift build $(FLAGS) -c release --show-bin-path)/cabinet" $(or $(BENCH_SECONDS),5)

format: ## Format all Swift files in place
	swift format --in-place --parallel --recursive $(SWIFT_FILES)

clean: ## Remove everything that was built
	rm -rf .build
