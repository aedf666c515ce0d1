public import ClickHouseStore
import Foundation
import Glibc
import Synchronization
import TestSupport

/// A ClickHouse for tests on this machine: a process with a folder of its own, which end with this one.
public final class ClickHouseServer: Sendable {
  /// The engines that Plumb is tested with.
  public enum Engine: String, Sendable, CaseIterable, CustomStringConvertible {
    /// Debian's server, of version 18.16: `make test-packages` installs it.
    case server
    /// A recent engine, which PyPI's `chdb` holds as a library, behind an HTTP server of this folder: `make chdb` installs
    /// it. It has 900 MB, so that the usual tests go without it.
    case chdb

    public var description: String { rawValue }

    /// The engines that are installed.
    public static let installed = allCases.filter { FileManager.default.isExecutableFile(atPath: $0.program) }

    fileprivate var program: String {
      switch self {
      case .server: "/usr/bin/clickhouse-server".isExecutable ?? "/usr/sbin/clickhouse-server"
      case .chdb: Checkout.path(".build/chdb/bin/python")
      }
    }
  }

  public let engine: Engine
  /// The port of the HTTP interface.
  public let port: Int
  /// The port of the HTTP interface with TLS; its certificate is `folder/server.pem`, for the name `localhost`.
  public let securePort: Int
  private let temporary: TemporaryFolder
  private let arguments: [String]
  private let process = Mutex<KeptProcess?>(nil)

  /// Starts a server and waits until it answers.
  public convenience init(_ engine: Engine = .server) throws {
    let ports = try FreePorts.reserve(4)
    try self.init(engine, ports: ports, cluster: [ports[1]])
  }

  /// Starts Debian's servers as the shards of a cluster, of which each knows all by the name `shards`.
  public static func shards(_ count: Int) throws -> [ClickHouseServer] {
    let ports = try FreePorts.reserve(4 * count)
    return try (0..<count).map { shard in
      try ClickHouseServer(
        .server, ports: Array(ports[(4 * shard)..<(4 * shard + 4)]), cluster: (0..<count).map { ports[4 * $0 + 1] })
    }
  }

  private init(_ engine: Engine, ports: [Int], cluster: [Int]) throws {
    self.engine = engine
    (port, securePort) = (ports[0], ports[3])
    temporary = try TemporaryFolder("clickhouse")
    let folder = temporary.path
    try FileManager.default.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: true)
    switch engine {
    case .server:
      try ServerConfiguration(folder: folder, ports: ports, cluster: cluster).write()
      arguments = [engine.program, "--config-file=\(folder)/config.xml"]
    case .chdb:
      arguments = [engine.program, Checkout.path("Tests/ClickHouseServer/chdb_server.py"), "\(port)", "\(folder)/data"]
    }
    try start()
  }

  /// Starts the server again after `kill`, and waits until it answers.
  public func start() throws {
    let fresh = try KeptProcess(arguments, folder: folder)
    process.withLock { $0 = fresh }
    guard eventually({ (try? client().version()) != nil }) else {
      throw Program.Failure(description: "\(engine) does not answer: \(fresh.errors)")
    }
  }

  /// Ends the server's process at once, as a power cut or the kernel would.
  public func kill() { process.withLock { $0 = nil } }

  /// Puts back a table as the first `ALTER TABLE … FREEZE` copied it, as docs/scaling.md tells operators to.
  public func restoreFrozen(_ table: String) throws {
    let files = FileManager.default
    let (parts, copy) = ("\(folder)/data/data/default/\(table)", "\(folder)/data/shadow/1/data/default/\(table)")
    kill()
    for part in try files.contentsOfDirectory(atPath: parts) where part.contains("_") {
      try files.removeItem(atPath: "\(parts)/\(part)")
    }
    for part in try files.contentsOfDirectory(atPath: copy) {
      try files.copyItem(atPath: "\(copy)/\(part)", toPath: "\(parts)/\(part)")
    }
    try start()
  }

  public var folder: String { temporary.path }

  deinit { kill() }

  /// The address of the database `default`, or of another one.
  public func address(database: String = "default", user: String? = nil) -> ClickHouseAddress {
    // Made of parts that are valid.
    let text = "clickhouse://\(user.map { $0 + "@" } ?? "")127.0.0.1:\(port)/\(database)"
    guard let address = try? ClickHouseAddress(text) else { fatalError("the address of a test's server: \(text)") }
    return address
  }

  /// A client of the server's database `default`.
  public func client(limits: ClickHouseClient.Limits = ClickHouseClient.Limits()) -> ClickHouseClient {
    ClickHouseClient(address(), limits: limits)
  }
}

extension String {
  fileprivate var isExecutable: String? { FileManager.default.isExecutableFile(atPath: self) ? self : nil }
}
