# The two commands: `make demo` and `make test`. `make check` is what a change must pass besides.
# Every swift call checks that a module imports only what Package.swift lists for it.
IMPORTS := --explicit-target-dependency-import-check error
# Debug builds are without debug information, which takes a fifth of their time: `make SWIFT_FLAGS= build` has it.
SWIFT_FLAGS := $(IMPORTS) -debug-info-format none
PORT ?= 8080

# Every release product is built with the same flags: modules that others were compiled with are compiled again.
RELEASE := swift build -c release --static-swift-stdlib $(IMPORTS) --product

# The one list of Debian packages that building and running need.
PACKAGES := libsqlite3-dev libmicrohttpd-dev libsimdjson-dev zlib1g-dev libzstd-dev libbrotli-dev \
  libcurl4-openssl-dev libssl-dev

# What tests and benchmarks use besides.
TEST_PACKAGES := curl sqlite3 openssl xz-utils

.PHONY: fuzz-inputs openid node-kills cluster-kills demo test client-test conformance fuzz clients screenshots check build release deb deb-test proxy-test packages test-packages chdb cluster-demo lint format bench bench-check truth alerting groups \
  clean

# The build that the tests use: its hot modules are optimised, its pages are not, so that it takes a third of the time.
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

# Two ingest nodes and their primary, killed in turn under load as often as KILLS says: then every number is exact.
KILLS ?= 64
node-kills: build
	PLUMB_NODE_KILLS=$(KILLS) swift test $(SWIFT_FLAGS) --filter NodeFaultTests/kills

# Two ingest nodes, a primary and two shards of ClickHouse under load, killed in turn, cut off, and robbed of parts.
cluster-kills: build
	PLUMB_CLUSTER_KILLS=$(KILLS) swift test $(SWIFT_FLAGS) --filter ClusterCrashTests

# The client package, with real uploads to the server that was built last: half a minute. As root it also fills disks.
CLIENT_TEST = cd Client && PLUMB=$(CURDIR)/.build/debug/plumb swift test
client-test: build
	$(CLIENT_TEST)

# Every page of the demo as people see it, in the folder screenshots/: in light and dark, on a phone and on a large screen.
screenshots: release clients
	Tests/Browser/run .build/release/plumb

# Signing in through a real provider, oidc-provider-mock of PyPI, on this machine: 10 seconds after the build.
openid: build
	Tests/OpenID/run .build/debug/plumb

# Every payload at hand, every prefix of it, and 100,000 mutations; what the worst bodies cost that the limits let through;
# and mutations of small inputs for a minute, some hundred thousand a second.
# COLLECTED: payloads beside our own, if any.
COLLECTED ?= $(wildcard ../shared/fixtures)
conformance: packages
	swift build $(SWIFT_FLAGS) --product conformance
	@# Two cores: neither of them measures time.
	.build/debug/conformance fuzz 60 Tests/Fuzz/Corpus $$(date +%j) & fuzz=$$!; \
	.build/debug/conformance Tests/Conformance/Fixtures $(COLLECTED) && wait $$fuzz
	.build/debug/conformance costs

# libFuzzer and the address sanitizer on the same road, as long as FUZZ says. New inputs are kept in .build/fuzz-corpus; one
# that ends the process is written to .build as crash-…
FUZZ ?= 600
fuzz: packages
	PLUMB_FUZZ=1 swift build -c release --scratch-path .build/fuzz $(IMPORTS) --sanitize=fuzzer --sanitize=address \
	  -Xswiftc -sanitize-coverage=edge,trace-cmp,inline-8bit-counters,pc-table --product fuzz
	mkdir -p .build/fuzz-corpus
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 .build/fuzz/release/fuzz -max_total_time=$(FUZZ) -max_len=8192 \
	  -timeout=10 -rss_limit_mb=2048 -artifact_prefix=.build/ .build/fuzz-corpus Tests/Fuzz/Corpus

# What comes from outside and is no payload: frames of nodes, answers of ClickHouse, budget files, uploads of symbols.
fuzz-inputs: packages
	$(RELEASE) input-fuzzing
	.build/release/input-fuzzing $(FUZZ) $$(date +%j)

# Intervals and verdicts on made-up fleets whose truth is known, and two million sessions from request to report.
truth: packages
	$(RELEASE) truth
	.build/release/truth claims
	.build/release/truth scale

# How well groups match causes, and many large diagnostics from request to page: docs/grouping.md has the figures.
groups: packages
	$(RELEASE) grouping
	.build/release/grouping causes
	.build/release/grouping volume

# Ninety days of made-up fleets through the code of alerts, every five minutes, and thirty through the commands
# themselves: docs/alerting-rules.md has the figures.
alerting: packages
	$(RELEASE) alerting
	$(RELEASE) plumb
	.build/release/alerting cli
	for seed in 1 2 3; do .build/release/alerting play $$seed; done | .build/release/alerting table

check: packages lint
	swift build $(SWIFT_FLAGS) --build-tests

build: packages
	swift build $(SWIFT_FLAGS)

# After a debug build SwiftPM plans a release build anew, which takes longer than to see that nothing is newer than the last.
# The mark has the time at which that began, and says which binary it made.
PARTS := Makefile Package.swift Sources Migrations Public docs/guides
MARK := .build/plumb.built
BINARY = stat -Lc '%Y %s' .build/release/plumb

release: packages
	@if [ -f $(MARK) ] && [ "$$(cat $(MARK))" = "$$($(BINARY))" ] && [ -z "$$(find $(PARTS) -newer $(MARK) -print -quit)" ]; \
	then echo "Nothing changed: .build/release/plumb"; \
	else mkdir -p .build && touch $(MARK).began && $(RELEASE) plumb && $(BINARY) > $(MARK) && touch -r $(MARK).began $(MARK); fi
	@deploy/stamp .build/release/plumb

# A Debian package of the release binary, in .build/deb. deploy/README.md says how it is installed.
deb: release
	@deploy/install-packages dpkg-dev binutils python3
	rm -rf .build/deb
	deploy/debian/build .build/release/plumb .build/deb

# Installed, upgraded, removed and purged in a chroot of Debian 12, and the container's steps in another. As root, with a
# network: it makes the tree with debootstrap, once.
deb-test: release
	@deploy/install-packages dpkg-dev binutils python3 debootstrap
	rm -rf .build/deb-test
	PLUMB_DEB_VERSION=0.0.1 deploy/debian/build .build/release/plumb .build/deb-test
	PLUMB_DEB_VERSION=0.0.2 deploy/debian/build .build/release/plumb .build/deb-test
	Tests/Packages/deb .build/deb-test/plumb_0.0.1_*.deb .build/deb-test/plumb_0.0.2_*.deb
	Tests/Packages/container .build/release/plumb

# The recipes of deploy/ with nginx, Apache and Caddy themselves, each of which must be installed.
proxy-test: release
	Tests/Proxies/run .build/release/plumb

# Other people's programs that send or ask, for the tests that use them. Without python3 or a network those are skipped.
CLIENTS := sentry-sdk opentelemetry-sdk opentelemetry-exporter-otlp-proto-http schemathesis aiosmtpd playwright \
  axe-playwright-python symbolic sentry-cli mcp==2.3.0

# The file holds the list, so that a longer one is installed over a shorter one. `python -m pip`, because the program
# pip in a folder that was copied still installs into the one it was copied from.
clients:
	@test "$$(cat .build/clients/installed 2>/dev/null)" = "$(CLIENTS)" || { python3 -m venv .build/clients \
	  && .build/clients/bin/python -m pip install -q --disable-pip-version-check $(CLIENTS) \
	  && echo "$(CLIENTS)" > .build/clients/installed; } || echo "The tests with real clients are skipped."

# Installs only what is missing, so that a second run costs nothing and needs no rights.
packages:
	@deploy/install-packages $(PACKAGES)

# Alertmanager, promtool and ClickHouse without the services that their packages would start.
test-packages:
	@deploy/install-packages $(TEST_PACKAGES)
	@Tests/NotificationsTests/Receivers/install-alertmanager || echo "The tests with Alertmanager and promtool are skipped."
	@Tests/ClickHouseServer/install-clickhouse || echo "The tests with ClickHouse are skipped."

# Two ClickHouse shards, a primary, two ingest nodes and a fleet on this machine: docs/scaling.md.
cluster-demo: release test-packages
	deploy/cluster/demo .build/release/plumb .build/cluster-demo $(ARGUMENTS)

# A recent engine of ClickHouse, beside Debian's old server: 900 MB, therefore only on request. The tests of ClickHouse use it
# where it is.
chdb:
	@.build/chdb/bin/python -c "import chdb" 2>/dev/null || { python3 -m venv .build/chdb \
	  && .build/chdb/bin/python -m pip install -q --disable-pip-version-check chdb==4.4.0; }

CLIENT_SWIFT := Client/Package.swift Client/Sources Client/Tests

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks $(CLIENT_SWIFT)

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks $(CLIENT_SWIFT)

# Every load and page beside its target; Benchmarks/README.md has the figures, `make bench ARGUMENTS=--help` the options.
bench: release
	$(RELEASE) decoding-benchmark
	Benchmarks/run $(ARGUMENTS)

# Counts the instructions of fixed loops; fails when one has grown by a tenth. RECORD=1 writes the figures anew.
bench-check: packages
	$(RELEASE) hot-loops
	Benchmarks/check

clean:
	rm -rf .build Client/.build demo-data
