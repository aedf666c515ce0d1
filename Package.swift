// swift-tools-version:6.2
import PackageDescription

/// One settings array for every target: Swift 6, explicit imports, and a warning is an error.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// SQLite's own functions, as GRDB links them: for the rows of numbers, which are many.
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name + "Tests", dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

// Listed in the order of the road of a payload. A module may import only what stands in its list: every `swift` call
// of this project carries `--explicit-target-dependency-import-check error`.
let package = Package(
  name: "plumb",
  products: [.executable(name: "plumb", targets: ["plumb"])],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    // Without its traits, of which nothing is used. SwiftPM passes several in an order that differs from plan to plan, and
    // each change compiles the package again, with all that depends on it.
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
  ],
  targets: [
    // C libraries from Debian.
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("simdjson")]),
    .target(
      name: "CCompression",
      linkerSettings: [.linkedLibrary("z"), .linkedLibrary("zstd"), .linkedLibrary("brotlidec")]),
    .target(name: "CChildProcess"),
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    // The commit, and the versions of the libraries above.
    .target(
      name: "CBuildInfo", dependencies: ["CSimdJSON"],
      linkerSettings: ["sqlite3", "microhttpd", "curl", "crypto", "z", "zstd", "brotlidec"].map { .linkedLibrary($0) }),

    // The pure middle: what is measured, and the arithmetic on it.
    module("Telemetry"),
    module("Bytes"),
    module("Cryptography", ["CCrypto"]),
    module("Statistics", ["Bytes", "Telemetry"]),
    module("Record", ["Telemetry", "Bytes"]),

    // Files that ship inside the binary.
    .target(name: "CEmbeddedFiles"),
    module("EmbeddedFiles", ["CEmbeddedFiles"]),

    // Bytes in.
    module("Compression", ["CCompression"]),
    module("JSON", ["CSimdJSON"]),
    module("YAML", [yams]),
    module("Decoding", ["JSON", "Telemetry", "Bytes"]),
    module("Storage", ["Telemetry", "Statistics", "Bytes"]),
    // Crashes, hangs and errors by their cause: fingerprints, merging, decisions.
    module("Issues", ["Record", "Compression", "Storage", "Telemetry", "Bytes"]),
    module("Intake", ["Decoding", "Record", "Storage", "Telemetry"]),
    module("Aggregation", ["Record", "Statistics", "Storage", "Telemetry", "Bytes"]),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "Storage", "Record", "Issues", "Compression", "Telemetry", "Statistics", "Bytes", "EmbeddedFiles", grdb,
        sqlite,
      ],
      exclude: ["Journal/records-1.dictionary"], swiftSettings: settings),

    // Names of code, from symbols that teams upload.
    module("Symbols", ["CChildProcess", "Compression", "Cryptography", "JSON", "Telemetry"]),

    // Numbers, verdicts and pages out.
    module("Budgets", ["YAML", "Telemetry", yams]),
    module("Health", ["Storage", "Issues", "Budgets", "JSON", "Statistics", "Telemetry"]),
    module("Wording", ["Health", "Storage", "Telemetry"]),
    module("Alerts", ["Health", "Wording", "Storage", "Telemetry"]),
    module("HTML"),
    module(
      "Pages", ["HTML", "Wording", "Health", "JSON", "Budgets", "Storage", "Telemetry", "Bytes", "EmbeddedFiles"]),

    // Messages out: Yams, because an error of the section `alerts:` names its line.
    module("Notifications", ["CCurl", "HTML", "JSON", "YAML", "Bytes", "Storage", "Telemetry", "Cryptography", yams]),

    // The edge: sockets, keys, commands.
    module("WebClient", ["CCurl"]),
    // Rows to and from a ClickHouse server.
    module("ClickHouse", ["CCurl", "Bytes"]),
    module("ClickHouseStore", ["ClickHouse", "Storage", "Statistics", "Telemetry", "EmbeddedFiles"]),
    // Tools for language models, over lines of JSON-RPC.
    module("MCP", ["JSON"]),
    module("Access", ["WebClient", "JSON", "Bytes", "Cryptography", "Storage", "Telemetry"]),
    module("HTTP", ["CMicroHTTPD", "JSON", "Bytes"]),
    module(
      "Server",
      [
        "HTTP", "JSON", "Bytes", "Compression", "Intake", "Decoding", "Pages", "Access", "Health",
        "EmbeddedFiles", "Storage", "Symbols", "Telemetry", "WebClient",
      ]),
    // Files out, from the command to a server.
    module("Uploads", ["CCurl"]),
    // The application's services: everything that joins a store to the rest, without a command line.
    module(
      "App",
      [
        "Server", "SQLiteStore", "Aggregation", "Intake", "Record", "Issues", "Compression", "Health", "Alerts",
        "Notifications", "Budgets", "Bytes", "Pages", "Access", "HTTP", "EmbeddedFiles", "Storage", "Symbols",
        "Telemetry", "JSON", "YAML", "CBuildInfo", "WebClient", "Wording", "ClickHouse",
        "ClickHouseStore", "Cryptography", logging, yams,
      ]),
    // Commands only: arguments in, lines and exit statuses out.
    .executableTarget(
      name: "plumb",
      dependencies: [
        "App", "Access", "Alerts", "Budgets", "Bytes", "Compression", "Decoding", "Issues", "Health", "Intake",
        "Notifications", "JSON", "MCP", "Pages", "Storage", "Symbols", "Telemetry", "Uploads", "WebClient", "Wording",
        arguments,
        logging,
      ],
      swiftSettings: settings),

    // The worst bodies that the limits let through: for tests, and for the table of what they cost.
    .target(name: "HostileBodies", dependencies: ["Decoding"], path: "Tests/HostileBodies", swiftSettings: settings),

    // The road of a payload as fuzzers drive it.
    .target(
      name: "PayloadRoad",
      dependencies: ["Decoding", "Record", "Aggregation", "Statistics", "Storage", "Telemetry", "Bytes"],
      path: "Tests/PayloadRoad", swiftSettings: settings),

    // Run by `make conformance`, part of no product.
    .executableTarget(
      name: "conformance",
      dependencies: [
        "Decoding", "Record", "Aggregation", "Storage", "Telemetry", "Compression", "Bytes", "HostileBodies",
        "PayloadRoad",
      ],
      path: "Tests/Conformance", exclude: ["Fixtures"], swiftSettings: settings),

    // Run by `make test`, part of no product.
    .executableTarget(
      name: "store-fuzzing", dependencies: ["Health", "PayloadRoad", "Pages", "SQLiteStore", "Storage", "Telemetry"],
      path: "Tests/StoreFuzzing", swiftSettings: settings),

    // Run by hand, part of no product: mutations of what comes from outside and is no payload.
    .executableTarget(
      name: "input-fuzzing",
      dependencies: [
        "App", "Budgets", "Bytes", "ClickHouse", "Compression", "PayloadRoad", "Record", "Storage", "Symbols",
        "Telemetry",
      ],
      path: "Tests/InputFuzzing", swiftSettings: settings),

    // Measured by `make bench`, part of no product.
    .executableTarget(
      name: "decoding-benchmark", dependencies: ["Decoding", "JSON", "Telemetry"], path: "Benchmarks/Decoding",
      swiftSettings: settings),

    // The loops whose instructions `make bench-check` counts, part of no product.
    .executableTarget(
      name: "hot-loops",
      dependencies: [
        "Decoding", "Record", "Compression", "Aggregation", "Storage", "SQLiteStore", "Issues", "Budgets", "Health",
        "Pages", "Telemetry", "Bytes",
      ], path: "Benchmarks/HotLoops", exclude: ["Bodies", "instructions.json"], swiftSettings: settings),

    // Made-up fleets whose true numbers are known, and the proof on them: `make truth`, part of no product.
    .target(
      name: "Fleets", dependencies: ["Health", "Budgets", "Statistics", "Storage", "Telemetry"],
      path: "Benchmarks/Fleets", swiftSettings: settings),
    .executableTarget(
      name: "truth",
      dependencies: [
        "Fleets", "SQLiteStore", "Storage", "Aggregation", "Intake", "Record", "Decoding", "Health",
        "Telemetry",
      ], path: "Benchmarks/Truth", swiftSettings: settings),

    // Ninety days of made-up fleets through the code of alerts: `make alerting`, part of no product.
    .executableTarget(
      name: "alerting",
      dependencies: ["Fleets", "Alerts", "Health", "Issues", "Budgets", "Statistics", "Storage", "Telemetry"],
      path: "Benchmarks/Alerting", swiftSettings: settings),

    // Made-up diagnostics whose causes are known, and how well groups match them: `make groups`, part of no product.
    .target(
      name: "LabelledCauses", dependencies: ["Telemetry"], path: "Benchmarks/LabelledCauses", swiftSettings: settings),
    .executableTarget(
      name: "grouping",
      dependencies: [
        "LabelledCauses", "Issues", "Health", "Budgets", "SQLiteStore", "Storage", "Aggregation", "Intake", "Record",
        "Decoding", "Compression", "Telemetry",
      ], path: "Benchmarks/Grouping", swiftSettings: settings),

    // One suite per module, and `Conformance` for the whole road.
    tests("Telemetry", ["Telemetry"]),
    tests("Issues", ["Issues", "LabelledCauses", "Storage", "Telemetry"]),
    .testTarget(
      name: "StatisticsTests", dependencies: ["Statistics", "Bytes", "Telemetry", "Fleets"],
      exclude: ["Reference/make_reference.py", "Reference/scipy.txt"],
      swiftSettings: settings),
    tests("Budgets", ["Budgets", "ProcessorTime", "Telemetry"]),
    tests(
      "Access", ["Access", "Cryptography", "JSON", "ProcessorTime", "Sink", "Storage", "Telemetry", "WebClient"]),
    tests("Cryptography", ["Cryptography"]),
    tests("ControlStore", ["Access", "SQLiteStore", "Storage", "Telemetry", "EmbeddedFiles", grdb]),
    tests("JSON", ["JSON", "ProcessorTime"]),
    .target(name: "CompressedSamples", path: "Tests/CompressedSamples", swiftSettings: settings),
    .target(name: "ProcessorTime", path: "Tests/ProcessorTime", swiftSettings: settings),
    tests("Compression", ["Compression", "CompressedSamples", "ProcessorTime"]),
    tests("Record", ["Record", "Bytes", "Telemetry"]),
    tests("Aggregation", ["Aggregation", "Record", "Bytes", "Statistics", "Storage", "Telemetry"]),
    tests(
      "SQLiteStore",
      [
        "SQLiteStore", "Aggregation", "Record", "Issues", "LabelledCauses", "Compression", "Bytes", "Statistics",
        "Storage",
        "Telemetry", "EmbeddedFiles", grdb,
      ]),
    tests("Intake", ["Intake", "Decoding", "Record", "Bytes", "Storage", "Telemetry"]),
    // Requests in, reports out, on real stores: what the tests of Health and of page queries share.
    .target(
      name: "HealthScene",
      dependencies: [
        "Health", "Budgets", "Storage", "Telemetry", "SQLiteStore", "Aggregation", "Intake", "Record", "Decoding",
      ], path: "Tests/HealthScene", swiftSettings: settings),
    tests(
      "Health",
      ["Health", "HealthScene", "Fleets", "Budgets", "JSON", "Statistics", "Storage", "Telemetry", "SQLiteStore"]),
    tests("HTML", ["HTML"]),
    // ClickHouse as a process of its own, for the tests that use one.
    .target(
      name: "ClickHouseServer", dependencies: ["ClickHouse"], path: "Tests/ClickHouseServer",
      exclude: ["chdb_server.py", "install-clickhouse"], swiftSettings: settings),
    tests("ClickHouse", ["ClickHouse", "ClickHouseServer", "Sink"]),
    tests(
      "ClickHouseStore",
      [
        "ClickHouseStore", "ClickHouse", "ClickHouseServer", "Budgets", "Health", "HealthScene", "Issues", "Pages",
        "SQLiteStore", "Statistics", "Storage", "Telemetry",
      ]),
    tests("MCP", ["MCP"]),
    tests("Style", []),
    tests("Wording", ["Wording", "Health", "Storage", "Telemetry"]),
    tests(
      "Pages",
      [
        "Pages", "Wording", "Health", "HealthScene", "HTML", "EmbeddedFiles", "Issues", "Storage", "Telemetry",
      ],
      exclude: ["Golden"]),
    tests(
      "Alerts", ["Alerts", "Wording", "Health", "Budgets", "SQLiteStore", "Storage", "Telemetry"]),
    tests(
      "Server",
      [
        "Server", "HTTP", "Compression", "CompressedSamples", "Access", "Decoding", "Health", "Intake", "OTLPMessages",
        "Pages", "EmbeddedFiles", "Record", "Storage", "Symbols", "Telemetry", protobuf,
      ], exclude: ["Golden"]),
    // A receiver of HTTP, for tests of what goes out.
    .target(name: "Sink", path: "Tests/Sink", swiftSettings: settings),
    // The application's services in this process: a real folder, real SQLite, sockets of this machine.
    tests(
      "App",
      [
        "Access", "App", "Alerts", "Budgets", "Bytes", "ClickHouse", "ClickHouseStore", "Compression", "Decoding",
        "Health", "HTTP", "Intake", "Issues", "EmbeddedFiles", "Notifications", "Record", "Server", "Sink",
        "SQLiteStore",
        "Storage", "Telemetry", logging,
      ], exclude: ["Upgrades"]),
    // The whole road, as processes and sockets.
    .testTarget(
      name: "RoadTests",
      dependencies: [
        "plumb", "ClickHouse", "ClickHouseServer", "CompressedSamples", "Sink", "SQLiteStore", "Storage", "Telemetry",
        grdb,
      ],
      exclude: ["Clients"], swiftSettings: settings),
    // OTLP as swift-protobuf reads it, which tests compare with. No product needs it.
    .target(
      name: "OTLPMessages", dependencies: [protobuf], path: "Tests/OTLPMessages", exclude: ["otlp.proto"],
      swiftSettings: settings),
    .testTarget(
      name: "DecodingTests",
      dependencies: ["Decoding", "JSON", "OTLPMessages", "Telemetry", "HostileBodies", protobuf],
      exclude: ["Reference/make_unit_words.py"], swiftSettings: settings),
    // Depends on plumb, which has the child process that makes names readable.
    .testTarget(
      name: "SymbolsTests", dependencies: ["Symbols", "Compression", "Telemetry", "plumb"],
      exclude: ["Fixtures", "Oracle", "System"],
      swiftSettings: settings),
    tests("HTTP", ["HTTP", "JSON"]),
    .testTarget(
      name: "NotificationsTests", dependencies: ["Notifications", "Sink", "Storage", "Telemetry"],
      exclude: ["Golden", "Receivers"], swiftSettings: settings),
  ]
)

// Built only by `make fuzz`, with libFuzzer and the address sanitizer: nothing else needs their runtime.
if Context.environment["PLUMB_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["PayloadRoad"], path: "Tests/Fuzz", exclude: ["Corpus"],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
