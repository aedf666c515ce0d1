# The two commands: `make demo` and `make test`. `make check` is what a change must pass besides.
# Every swift call checks that a module imports only what Package.swift lists for it.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
PORT ?= 8080

# The one list of Debian packages that building and running need.
PACKAGES := libsqlite3-dev libmicrohttpd-dev libsimdjson-dev zlib1g-dev libzstd-dev libbrotli-dev

# What tests and benchmarks use besides.
TEST_PACKAGES := curl sqlite3

# Real clients that tests send with, from PyPI.
CLIENT_PACKAGES := opentelemetry-sdk opentelemetry-exporter-otlp-proto-http

.PHONY: clients demo test check build release packages test-packages lint format bench clean

demo: release
	.build/release/plumb demo --data demo-data
	@echo "The dashboard: http://127.0.0.1:$(PORT)  (Ctrl-C stops it)"
	.build/release/plumb serve --data demo-data --open --listen 127.0.0.1:$(PORT)

# Without Python or the network the tests that need these clients say so and are skipped.
clients:
	@test -e .build/clients/made || { python3 -m venv .build/clients \
	  && .build/clients/bin/pip install -q $(CLIENT_PACKAGES) && touch .build/clients/made; } \
	  || echo "No client libraries: tests with real clients will be skipped."

test: packages test-packages clients
	swift test $(SWIFT_FLAGS)

check: packages lint
	swift build $(SWIFT_FLAGS) --build-tests

build: packages
	swift build $(SWIFT_FLAGS)

release: packages
	swift build -c release --static-swift-stdlib $(SWIFT_FLAGS) --product plumb

# Installs only what is missing, so that a second run costs nothing and needs no rights.
packages:
	@deploy/install-packages $(PACKAGES)

test-packages:
	@deploy/install-packages $(TEST_PACKAGES)

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Migrations Public

format:
	swift format --in-place --recursive Package.swift Sources Tests Migrations Public

bench: release
	Benchmarks/run

clean:
	rm -rf .build demo-data
