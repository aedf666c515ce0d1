# The two main commands are `make demo` and `make test`. A change must also pass `make check`.
# Every swift call checks that a module imports only what Package.swift lists for it.
IMPORTS := --explicit-target-dependency-import-check error
# Debug builds omit debug information, which takes a fifth of their time. `make SWIFT_FLAGS= build` includes it.
SWIFT_FLAGS := $(IMPORTS) -debug-info-format none
PORT ?= 8080

# How often each branch of the server ran under the loads of `make bench`: release builds are optimised for that.
PROFILE := Benchmarks/plumb.profdata.gz
# The compiler keeps an object if only the profile changed, so a new profile removes all objects.
UNPACK_PROFILE := { cmp -s $(PROFILE) .build/plumb.profdata.gz || { rm -rf .build/release/*.build && mkdir -p .build \
  && gzip -dc $(PROFILE) > .build/plumb.profdata && cp $(PROFILE) .build/plumb.profdata.gz; }; }

# Every release product is built with the same flags. With other flags SwiftPM would compile shared modules again.
# The tools are written in Swift, too. Without the variable, they visit sets in another order each time.
OPTIMISED := SWIFT_DETERMINISTIC_HASHING=1 swift build -c release --static-swift-stdlib $(IMPORTS)
# The driver ignores its own option -ir-profile-use, so the frontend gets it.
RELEASE := $(UNPACK_PROFILE) && $(OPTIMISED) -Xswiftc -Xfrontend -Xswiftc "-ir-profile-use=$(CURDIR)/.build/plumb.profdata" --product

# The only list of Debian packages that building and running need.
PACKAGES := libsqlite3-dev libmicrohttpd-dev libsimdjson-dev zlib1g-dev libzstd-dev libbrotli-dev \
  libcurl4-openssl-dev libssl-dev

# Packages that only tests and benchmarks need.
TEST_PACKAGES := curl sqlite3 openssl xz-utils

.PHONY: fuzz-inputs openid node-kills standby-kills cluster-kills demo test client-test client-docs client-cost profile conformance fuzz clients screenshots check build release deb deb-test reproducible proxy-test packages test-packages chdb cluster-demo lint format bench bench-check truth alerting groups \
  clean

# Tests use the same build. It optimises the hot modules but not the pages, which cuts the build time to a third.
demo: packages
	swift build $(SWIFT_FLAGS) --product plumb
	.build/debug/plumb demo --data demo-data
	@echo "The dashboard: http://127.0.0.1:$(PORT)  (Ctrl-C stops it)"
	.build/debug/plumb serve --data demo-data --open --listen 127.0.0.1:$(PORT)

test: packages test-packages conformance clients
	Tests/run $(SWIFT_FLAGS)
	.build/debug/store-fuzzing 15 Tests/Fuzz/Corpus $$(date +%j)
	$(CLIENT_TEST)
	Tests/Browser/run .build/debug/plumb 20

# Kills two ingest nodes and their primary in turn under load, KILLS times. Every number must be exact afterwards.
KILLS ?= 64
node-kills: build
	PLUMB_NODE_KILLS=$(KILLS) swift test $(SWIFT_FLAGS) --filter NodeFaultTests/kills

# Kills a primary under load and promotes its standby, KILLS times, with and without ingest nodes.
standby-kills: build
	PLUMB_STANDBY_KILLS=$(KILLS) swift test $(SWIFT_FLAGS) --filter StandbyFaultTests

# Two ingest nodes, a primary and two shards of ClickHouse under load. Each is killed or cut off in turn, and shards
# lose parts.
cluster-kills: build
	PLUMB_CLUSTER_KILLS=$(KILLS) swift test $(SWIFT_FLAGS) --filter ClusterCrashTests

# Tests the client package by its address and with real uploads to the last built server: half a minute. As root, it also fills disks.
CLIENT_TEST = Client/Tests/by-url && cd Client && PLUMB=$(CURDIR)/.build/debug/plumb swift test
client-test: build
	$(CLIENT_TEST)

# The client's manual, in .build/client-docs: a minute the first time. A warning is an error.
# Package.resolved stays as it is, because other builds would otherwise fetch the plugin.
client-docs:
	@mkdir -p .build/docs && rm -f .build/docs/Package.resolved && cp Package.resolved .build/docs/ 2>/dev/null || true
	PLUMB_DOCS=1 swift package --scratch-path .build/docs --allow-writing-to-directory .build/client-docs \
	  generate-documentation --target PlumbClient --output-path .build/client-docs --warnings-as-errors; \
	status=$$?; mv .build/docs/Package.resolved . 2>/dev/null || rm -f Package.resolved; exit $$status

# Counts the instructions and allocations of the client's calls, and the bytes that it adds to an app. Fails if a call has
# grown by a tenth. RECORD=1 records new figures.
client-cost:
	cd Client && swift build -c release --product ClientCost
	Benchmarks/check Client/.build/release/ClientCost Client/Tests/ClientCost/instructions.json
	Client/Tests/ClientCost/measure Client/.build/release

# Screenshots of every page of the demo, in screenshots/: light and dark, on a phone and on a large screen.
screenshots: release clients
	Tests/Browser/run .build/release/plumb

# Logs in through a real provider on this machine, oidc-provider-mock of PyPI: 10 seconds after the build.
openid: build
	Tests/OpenID/run .build/debug/plumb

# Decodes every available payload, every prefix of it and 100,000 mutations; measures what the worst bodies within the
# limits cost; and mutates small inputs for a minute, a few hundred thousand a second.
# COLLECTED: payloads other than our own, if any.
COLLECTED ?= $(wildcard ../shared/fixtures)
conformance: packages
	swift build $(SWIFT_FLAGS) --product conformance
	@# Runs in parallel, because neither measures time.
	.build/debug/conformance fuzz 60 Tests/Fuzz/Corpus $$(date +%j) & fuzz=$$!; \
	.build/debug/conformance Tests/Conformance/Fixtures $(COLLECTED) && wait $$fuzz
	.build/debug/conformance costs

# libFuzzer and the address sanitizer on the path of a payload, for FUZZ seconds. New inputs are kept in
# .build/fuzz-corpus. An input that crashes the process is written to .build as crash-…
FUZZ ?= 600
fuzz: packages
	PLUMB_FUZZ=1 swift build -c release --scratch-path .build/fuzz $(IMPORTS) --sanitize=fuzzer --sanitize=address \
	  -Xswiftc -sanitize-coverage=edge,trace-cmp,inline-8bit-counters,pc-table --product fuzz
	mkdir -p .build/fuzz-corpus
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 .build/fuzz/release/fuzz -max_total_time=$(FUZZ) -max_len=8192 \
	  -timeout=10 -rss_limit_mb=2048 -artifact_prefix=.build/ .build/fuzz-corpus Tests/Fuzz/Corpus

# Mutates external inputs other than payloads: frames of nodes, answers of ClickHouse, budget files, uploads of symbols.
fuzz-inputs: packages
	$(RELEASE) input-fuzzing
	.build/release/input-fuzzing $(FUZZ) $$(date +%j)

# Checks intervals and verdicts on invented fleets with known truth, and two million sessions from request to report.
truth: packages
	$(RELEASE) truth
	.build/release/truth claims
	.build/release/truth rollouts 60
	.build/release/truth forecasts 60
	.build/release/truth late 200
	.build/release/truth causes 200
	.build/release/truth flames 200
	.build/release/truth power 200
	.build/release/truth scale

# Scores how groups match causes, and sends many large diagnostics from request to page. docs/grouping.md has the figures.
groups: packages
	$(RELEASE) grouping
	$(RELEASE) truth
	.build/release/grouping causes
	.build/release/truth causes 100
	.build/release/grouping volume

# Runs ninety days of invented fleets through the code of alerts, every five minutes, and thirty days through the commands.
# docs/alerting-rules.md has the figures.
alerting: packages
	$(RELEASE) alerting
	$(RELEASE) plumb
	.build/release/alerting cli
	for seed in 1 2 3; do .build/release/alerting play $$seed; done | .build/release/alerting table
	for seed in 1 2 3; do .build/release/alerting breaks $$seed; done | .build/release/alerting break-table

check: packages lint
	swift build $(SWIFT_FLAGS) --build-tests

build: packages
	swift build $(SWIFT_FLAGS)

# After a debug build, SwiftPM plans a release build again. Checking that no file is newer than the last build is
# faster. The mark has the time when that build began, and identifies its binary.
PARTS := Makefile $(PROFILE) Package.swift Sources Migrations Public docs/guides
MARK := .build/plumb.built
BINARY = stat -Lc '%Y %s' .build/release/plumb

release: packages
	@if [ -f $(MARK) ] && [ "$$(cat $(MARK))" = "$$($(BINARY))" ] && [ -z "$$(find $(PARTS) -newer $(MARK) -print -quit)" ]; \
	then echo "Nothing changed: .build/release/plumb"; \
	else mkdir -p .build && touch $(MARK).began && $(RELEASE) plumb && $(BINARY) > $(MARK) && touch -r $(MARK).began $(MARK); fi
	@deploy/stamp .build/release/plumb

# Builds a Debian package of the release binary, in .build/deb. deploy/README.md describes its installation.
deb: release
	@deploy/install-packages dpkg-dev binutils python3
	rm -rf .build/deb
	deploy/debian/build .build/release/plumb .build/deb

# Installs, upgrades, removes and purges the package in a chroot of Debian 12, and runs the container's steps in
# another. Needs root and a network, because it creates the chroot with debootstrap once.
deb-test: release
	@deploy/install-packages dpkg-dev binutils python3 debootstrap
	rm -rf .build/deb-test
	PLUMB_DEB_VERSION=0.0.1 deploy/debian/build .build/release/plumb .build/deb-test
	PLUMB_DEB_VERSION=0.0.2 deploy/debian/build .build/release/plumb .build/deb-test
	Tests/Packages/deb .build/deb-test/plumb_0.0.1_*.deb .build/deb-test/plumb_0.0.2_*.deb
	Tests/Packages/container .build/release/plumb
	Tests/Packages/apt .build/deb-test/plumb_0.0.1_*.deb .build/deb-test/plumb_0.0.2_*.deb
	deploy/sbom .build/release/plumb 0.0.2 > .build/deb-test/plumb.cdx.json
	test -d .build/sbom || python3 -m venv .build/sbom
	.build/sbom/bin/python -m pip install -q --disable-pip-version-check "cyclonedx-python-lib[json-validation]==11.12.0"
	.build/sbom/bin/python Tests/Packages/sbom .build/deb-test/plumb.cdx.json .build/release/plumb

# Builds the package twice from fresh clones. Both must have the same bytes.
reproducible:
	Tests/Packages/reproducible

# Runs the recipes of deploy/ with nginx, Apache and Caddy, which must be installed.
proxy-test: release
	Tests/Proxies/run .build/release/plumb

# Other projects' clients for the tests that use them. Without python3 or a network, those tests are skipped.
CLIENTS := sentry-sdk opentelemetry-sdk opentelemetry-exporter-otlp-proto-http schemathesis aiosmtpd playwright \
  axe-playwright-python symbolic sentry-cli mcp==2.3.0

# The file contains the list, so that a longer list is installed over a shorter one. `python -m pip` is used because
# after copying a folder, its program pip still installs into the original folder.
clients:
	@test "$$(cat .build/clients/installed 2>/dev/null)" = "$(CLIENTS)" || { python3 -m venv .build/clients \
	  && .build/clients/bin/python -m pip install -q --disable-pip-version-check $(CLIENTS) \
	  && echo "$(CLIENTS)" > .build/clients/installed; } || echo "The tests with real clients are skipped."

# Installs only missing packages, so that a second run costs nothing and needs no rights.
packages:
	@deploy/install-packages $(PACKAGES)

# Installs Alertmanager, promtool and ClickHouse without starting their services.
test-packages:
	@deploy/install-packages $(TEST_PACKAGES)
	@Tests/NotificationsTests/Receivers/install-alertmanager || echo "The tests with Alertmanager and promtool are skipped."
	@Tests/ClickHouseServer/install-clickhouse || echo "The tests with ClickHouse are skipped."

# Runs two ClickHouse shards, a primary, two ingest nodes and a fleet on this machine: docs/scaling.md.
cluster-demo: release test-packages
	deploy/cluster/demo .build/release/plumb .build/cluster-demo $(ARGUMENTS)

# Installs a recent engine of ClickHouse in addition to Debian's old server. It takes 900 MB, so only on request. The
# tests of ClickHouse use it if it is installed.
chdb:
	@.build/chdb/bin/python -c "import chdb" 2>/dev/null || { python3 -m venv .build/chdb \
	  && .build/chdb/bin/python -m pip install -q --disable-pip-version-check chdb==4.4.0; }

CLIENT_SWIFT := Client/Package.swift Client/Sources Client/Tests

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks $(CLIENT_SWIFT)
	@# Every public declaration of the client is documented, also where Linux does not compile it.
	swift format lint --strict --recursive \
	  --configuration "$$(sed 's/\(AllPublicDeclarationsHaveDocumentation.*\)false/\1true/' .swift-format)" Client/Sources

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks $(CLIENT_SWIFT)

# Measures every load and page and compares it with its target. Benchmarks/README.md has the figures, `make bench
# ARGUMENTS=--help` the options.
bench: release
	$(RELEASE) decoding-benchmark
	Benchmarks/run $(ARGUMENTS)

# Records the profile of release builds: a quarter of an hour on two cores. A function that changed since then is compiled
# without one, so this is done before a release.
COUNTS := $(CURDIR)/.build/profile/counts
TRAINING := metrickit,sentry-crash,metrickit-crash,otlp-json,otlp-protobuf,native,sentry-session,fleet,formats,sessions,restart,pages
profile: packages
	@deploy/install-packages wrk gcc python3
	$(OPTIMISED) --scratch-path .build/profile --product plumb -Xswiftc -Xfrontend -Xswiftc -ir-profile-generate \
	  -Xswiftc -Xclang-linker -Xswiftc -fprofile-generate
	rm -rf $(COUNTS)
	LLVM_PROFILE_FILE=$(COUNTS)/%p.profraw PLUMB=$(CURDIR)/.build/profile/release/plumb QUICK=1 ONLY=$(TRAINING) Benchmarks/run
	"$$(dirname "$$(realpath "$$(command -v swiftc)")")/llvm-profdata" merge -sparse -o .build/new.profdata $(COUNTS)/*.profraw
	gzip -9nc .build/new.profdata > .build/new.profdata.gz
	mv .build/new.profdata.gz $(PROFILE)
	rm -rf $(COUNTS)
	ls -l $(PROFILE)

# Counts the instructions of fixed loops. Fails if one has grown by 3 %. RECORD=1 records new figures.
bench-check: packages
	@deploy/install-packages valgrind
	swift build $(SWIFT_FLAGS) --product hot-loops
	Benchmarks/check

clean:
	rm -rf .build Client/.build demo-data
