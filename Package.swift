// swift-tools-version:6.2
import PackageDescription

/// One settings array for every target: Swift 6, explicit imports, and warnings as errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Settings of the client, which apps compile for systems whose SDKs do not exist on Linux. Only there is every line of it
/// known to compile without a warning.
#if os(Linux)
  let clientSettings = settings
#else
  let clientSettings: [SwiftSetting] = [.swiftLanguageMode(.v5)]
#endif

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// SQLite's C functions, as GRDB links them. They read the many rows of numbers.
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// Settings for the modules that every number passes through. They are also optimised in debug builds, each module as a
/// whole: that takes less time than file by file, and the code is faster.
let fast =
  settings + [
    .unsafeFlags(
      ["-O", "-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2"],
      .when(configuration: .debug))
  ]

/// A process reads all relocations and exported symbols of its program when it starts. With packed relocations and no
/// exported symbols it needs 2 MB less memory. Only lld can pack them; the default linker, gold, cannot. Loading them needs
/// glibc 2.36, the version of Debian 12.
let smallInMemory = LinkerSetting.unsafeFlags(
  ["-use-ld=lld"] + ["-z", "pack-relative-relocs", "--no-export-dynamic"].flatMap { ["-Xlinker", $0] },
  .when(platforms: [.linux]))

func module(_ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = settings) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name + "Tests", dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

// Targets are in the order in which a payload passes them. A module may import only the modules in its list, because
// every `swift` call of this project sets `--explicit-target-dependency-import-check error`.
let package = Package(
  name: "plumb",
  // Of the client. The server runs only on Linux.
  platforms: [.iOS(.v13), .macOS(.v12), .macCatalyst(.v14), .visionOS(.v1), .tvOS(.v13), .watchOS(.v7)],
  // SwiftPM fetches the dependencies of every product that is listed here, whichever product an app uses. An app that
  // adds the client would fetch the server's, so the executable is not listed: SwiftPM makes products of the executables
  // of the root package on its own.
  products: [.library(name: "PlumbClient", targets: ["PlumbClient"])],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    // No traits, because none is used. SwiftPM passes several traits in an order that varies between plans, and each
    // change would compile the package and its dependents again.
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
  ],
  targets: [
    // Code inside a signal handler is C. It never allocates, locks or calls the Swift runtime.
    .target(name: "CSignalMarker", path: "Client/Sources/CSignalMarker"),
    .target(
      name: "PlumbClient", dependencies: ["CSignalMarker"], path: "Client/Sources/PlumbClient",
      resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: clientSettings),

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
    // The commit and the versions of the libraries above.
    .target(
      name: "CBuildInfo", dependencies: ["CSimdJSON"],
      linkerSettings: ["sqlite3", "microhttpd", "curl", "crypto", "z", "zstd", "brotlidec"].map { .linkedLibrary($0) }),

    // Files that the binary contains.
    .target(name: "CEmbeddedFiles"),

    // Low-level modules for all others: bytes, JSON, YAML, markup, compression.
    module("Core", ["CSimdJSON", "CCompression", "CEmbeddedFiles", "CCrypto", yams], fast),
    // Statistics, without I/O.
    module("Statistics", ["Core"], fast),
    // The requirements of a store, and the rows that it returns.
    module("Storage", ["Statistics", "Core"], fast),

    // Incoming payloads: formats, records, sums of records, causes of diagnostics.
    module("Ingest", ["Storage", "Statistics", "Core"], fast),
    .target(
      name: "SQLiteStore", dependencies: ["Ingest", "Storage", "Statistics", "Core", grdb, sqlite],
      exclude: ["Journal/records-1.dictionary"], swiftSettings: fast),

    // Outgoing data: requests, uploads, messages to people. Yams gives the line of an error in the section `alerts:`.
    module("Outbound", ["Storage", "Core", "CCurl", yams]),
    module("ClickHouseStore", ["Storage", "Statistics", "Core", "CCurl"]),

    // Names of functions, from symbols that teams upload.
    module("Symbols", ["Core", "CChildProcess"]),

    // Numbers, verdicts and incidents.
    module("Analysis", ["Ingest", "Storage", "Statistics", "Core", yams], fast),
    // Pages, API and sockets.
    module(
      "Web",
      ["Analysis", "Ingest", "Outbound", "Symbols", "Storage", "Core", "CMicroHTTPD"]),
    // The application's services: everything that connects a store to the other modules, without a command line.
    module(
      "App",
      [
        "Web", "Analysis", "Ingest", "SQLiteStore", "ClickHouseStore", "Outbound", "Symbols", "Storage", "Core",
        "CBuildInfo", logging, yams,
      ]),
    // Only commands: arguments in, lines and exit codes out.
    .executableTarget(
      name: "plumb",
      dependencies: [
        "App", "Web", "Analysis", "Ingest", "Outbound", "Symbols", "Storage", "Core", arguments, logging,
      ],
      swiftSettings: settings, linkerSettings: [smallInMemory]),

    // Code that tests share, without any module of Plumb: seeded random numbers, waiting, folders and files of the
    // repository, programs, sockets, compressed samples.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),

    // The worst bodies within the limits, for tests and for the table of their cost.
    .target(name: "HostileBodies", dependencies: ["Ingest"], path: "Tests/HostileBodies", swiftSettings: settings),

    // The path of a payload, for fuzzers.
    .target(
      name: "PayloadRoad",
      dependencies: ["TestSupport", "Ingest", "Statistics", "Storage", "Core"],
      path: "Tests/PayloadRoad", swiftSettings: settings),

    // Run by `make conformance`. Not part of a product.
    .executableTarget(
      name: "conformance",
      dependencies: ["Ingest", "Storage", "Core", "HostileBodies", "PayloadRoad"],
      path: "Tests/Conformance", exclude: ["Fixtures"], swiftSettings: settings),

    // Run by `make test`. Not part of a product.
    .executableTarget(
      name: "store-fuzzing",
      dependencies: ["Analysis", "Core", "PayloadRoad", "Web", "SQLiteStore", "Storage"],
      path: "Tests/StoreFuzzing", swiftSettings: settings),

    // Run by hand. Mutations of external inputs other than payloads. Not part of a product.
    .executableTarget(
      name: "input-fuzzing",
      dependencies: ["App", "Analysis", "Core", "ClickHouseStore", "PayloadRoad", "Ingest", "Storage", "Symbols"],
      path: "Tests/InputFuzzing", swiftSettings: settings),

    // Measured by `make bench`. Not part of a product.
    .executableTarget(
      name: "decoding-benchmark", dependencies: ["Ingest", "Core"], path: "Benchmarks/Decoding",
      swiftSettings: settings),

    // The loops whose instructions `make bench-check` counts. Not part of a product.
    .executableTarget(
      name: "hot-loops",
      dependencies: ["Ingest", "Core", "Storage", "SQLiteStore", "Analysis", "Web"], path: "Benchmarks/HotLoops",
      exclude: ["Bodies", "instructions.json"], swiftSettings: settings),

    // Invented fleets with known true numbers, and the checks against them: `make truth`. Not part of a product.
    .target(
      name: "Fleets", dependencies: ["TestSupport", "Analysis", "Statistics", "Storage", "Core"],
      path: "Benchmarks/Fleets", swiftSettings: fast),
    .executableTarget(
      name: "truth",
      dependencies: ["TestSupport", "Fleets", "SQLiteStore", "Statistics", "Storage", "Ingest", "Analysis", "Core"],
      path: "Benchmarks/Truth",
      swiftSettings: settings),

    // Ninety days of invented fleets through the code of alerts: `make alerting`. Not part of a product.
    .executableTarget(
      name: "alerting",
      dependencies: ["TestSupport", "Fleets", "Analysis", "Ingest", "Statistics", "Storage", "Core"],
      path: "Benchmarks/Alerting", swiftSettings: fast),

    // Invented diagnostics with known causes, and a score of how groups match them: `make groups`. Not part of a
    // product.
    .target(
      name: "LabelledCauses", dependencies: ["TestSupport", "Core"], path: "Benchmarks/LabelledCauses",
      swiftSettings: settings),
    .executableTarget(
      name: "grouping",
      dependencies: ["LabelledCauses", "Ingest", "Analysis", "SQLiteStore", "Storage", "Core"],
      path: "Benchmarks/Grouping", swiftSettings: settings),

    // One suite per module, and `Conformance` for the whole path of a payload.
    tests("Telemetry", ["Core"]),
    tests("Issues", ["TestSupport", "Ingest", "LabelledCauses", "Storage", "Core"], exclude: ["Hangs"]),
    .testTarget(
      name: "StatisticsTests", dependencies: ["TestSupport", "Statistics", "Core", "Fleets"],
      exclude: ["Reference/make_reference.py", "Reference/scipy.txt"],
      swiftSettings: settings),
    tests("Budgets", ["TestSupport", "Analysis", "Core"]),
    tests(
      "Access", ["TestSupport", "Web", "Core", "Storage", "Outbound"]),
    tests("Cryptography", ["Core"]),
    tests("ControlStore", ["TestSupport", "Web", "SQLiteStore", "Storage", "Core", grdb]),
    tests("JSON", ["TestSupport", "Core"]),
    tests("Compression", ["TestSupport", "Core"]),
    tests("Record", ["TestSupport", "Ingest", "Core"]),
    tests("Aggregation", ["TestSupport", "Ingest", "Core", "Statistics", "Storage"]),
    tests(
      "SQLiteStore",
      ["TestSupport", "SQLiteStore", "Ingest", "LabelledCauses", "Core", "Statistics", "Storage", grdb]),
    tests("Intake", ["Ingest", "Core", "Storage"]),
    // Requests in, reports out, on real stores. The tests of Health and of page queries share it.
    .target(
      name: "HealthScene",
      dependencies: ["TestSupport", "Analysis", "Storage", "Core", "SQLiteStore", "Ingest"], path: "Tests/HealthScene",
      swiftSettings: settings),
    tests(
      "Health",
      ["TestSupport", "Analysis", "HealthScene", "Fleets", "Core", "Statistics", "Storage", "SQLiteStore"],
      exclude: ["SameAge"]),
    tests("HTML", ["Core"]),
    // ClickHouse in its own process, for tests.
    .target(
      name: "ClickHouseServer", dependencies: ["TestSupport", "ClickHouseStore"], path: "Tests/ClickHouseServer",
      exclude: ["chdb_server.py", "install-clickhouse"], swiftSettings: settings),
    tests("ClickHouse", ["TestSupport", "ClickHouseStore", "ClickHouseServer"]),
    tests(
      "ClickHouseStore",
      [
        "TestSupport", "ClickHouseStore", "ClickHouseServer", "Analysis", "HealthScene", "Ingest", "Web", "SQLiteStore",
        "Statistics",
        "Storage", "Core",
      ]),
    tests("MCP", ["Web"]),
    tests("Style", ["TestSupport"]),
    tests("Wording", ["Analysis", "Storage", "Core"]),
    tests(
      "Pages",
      ["TestSupport", "Web", "Analysis", "HealthScene", "Core", "Ingest", "Statistics", "Storage"],
      exclude: ["Golden"]),
    tests(
      "Alerts", ["TestSupport", "Analysis", "SQLiteStore", "Storage", "Core"]),
    tests(
      "Server",
      ["TestSupport", "Web", "Core", "Ingest", "Analysis", "OTLPMessages", "Storage", "Symbols", protobuf],
      exclude: ["Golden"]),
    // The application's services in this process: a real folder, real SQLite, sockets of this machine.
    tests(
      "App",
      [
        "TestSupport", "Web", "App", "Analysis", "Core", "ClickHouseStore", "Ingest", "Outbound", "SQLiteStore",
        "Storage",
        logging,
      ], exclude: ["Upgrades"]),
    // The whole path of a payload, with processes and sockets.
    .testTarget(
      name: "RoadTests",
      dependencies: [
        "TestSupport", "plumb", "ClickHouseStore", "ClickHouseServer", "SQLiteStore", "Storage", "Core",
        arguments, grdb,
      ],
      exclude: ["Clients", "Golden"], swiftSettings: settings),
    // OTLP decoded by swift-protobuf, for tests to compare with. No product needs it.
    .target(
      name: "OTLPMessages", dependencies: [protobuf], path: "Tests/OTLPMessages", exclude: ["otlp.proto"],
      swiftSettings: settings),
    .testTarget(
      name: "DecodingTests",
      dependencies: ["TestSupport", "Ingest", "Core", "OTLPMessages", "HostileBodies", protobuf],
      exclude: ["Reference/make_unit_words.py"], swiftSettings: settings),
    // Depends on plumb, which contains the child process for symbolication.
    .testTarget(
      name: "SymbolsTests", dependencies: ["TestSupport", "Symbols", "Core", "plumb"],
      exclude: ["Fixtures", "Oracle", "System"],
      swiftSettings: settings),
    tests("HTTP", ["TestSupport", "Web", "Core"]),
    .testTarget(
      name: "NotificationsTests", dependencies: ["TestSupport", "Outbound", "Storage", "Core"],
      exclude: ["Golden", "Receivers"], swiftSettings: settings),
  ]
)

// Built only by `make fuzz`, with libFuzzer and the address sanitizer. Nothing else needs their runtime.
if Context.environment["PLUMB_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["PayloadRoad"], path: "Tests/Fuzz", exclude: ["Corpus"],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

// Only for the client's manual, `make client-docs`. Neither the server nor an app needs it.
if Context.environment["PLUMB_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
}
