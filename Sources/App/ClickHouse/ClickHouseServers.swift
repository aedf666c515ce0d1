public import ClickHouseStore
import Core
import Foundation
import Outbound
public import SQLiteStore

/// The ClickHouse servers with the rows of a data folder, as named in its file `store.yaml`.
///
/// The file contains no secret, only the password's location.
public struct ClickHouseServers: Sendable, Equatable {
  /// The addresses of the servers, one per shard.
  public var shards: [ClickHouseAddress]
  /// The cluster's name in the servers' configuration; nil for one shard.
  var cluster: String?
  /// The location of the users' password; nil for none.
  var password: SecretSource?
  /// The path of a PEM file of CA certificates to trust instead of the system's.
  var caFile: String?

  /// Reads addresses such as `clickhouse://plumb@10.0.0.5:8123/plumb`. Throws `UsageError`.
  init(_ addresses: [String], cluster: String?, password: SecretSource?, caFile: String?) throws {
    guard !addresses.isEmpty else {
      throw UsageError("store: expected at least one address such as clickhouse://USER@HOST:8123/DATABASE.")
    }
    do {
      shards = try addresses.map { try ClickHouseAddress($0) }
    } catch {
      throw UsageError("store: \(error).")
    }
    guard Set(shards).count == shards.count else { throw UsageError("store: the same server is listed twice.") }
    if let cluster {
      guard !cluster.isEmpty, cluster.utf8.allSatisfy({ Self.isNameByte($0) }) else {
        throw UsageError("store-cluster: expected a name of letters, digits and _, found \"\(cluster)\".")
      }
    }
    if shards.count > 1, Set(shards.map(\.database)).count > 1 {
      throw UsageError("store: all servers must use a database of the same name.")
    }
    self.cluster = shards.count > 1 ? cluster ?? "plumb" : nil
    self.password = password
    self.caFile = caFile
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 0x20) || (48...57).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// Clients for the servers. Throws if the password cannot be read.
  func connect(clock: @escaping @Sendable () -> Timestamp = WallClock.now) throws -> FactCluster {
    let secret = try password?.read(environment: ProcessInfo.processInfo.environment)
    let clients = shards.map { address in
      ClickHouseClient(address, password: secret.map { $0.use { $0 } }, caFile: caFile)
    }
    return FactCluster(clients, name: cluster, clock: clock)
  }
}

// MARK: - The file

extension ClickHouseServers {
  /// The servers in a folder's file; nil without the file. Throws `UsageError` for an invalid file.
  public static func read(_ folder: DataFolder) throws -> ClickHouseServers? {
    guard FileManager.default.fileExists(atPath: folder.rowServers) else { return nil }
    return try Settings(path: folder.rowServers, environment: [:]).rowServers()
  }

  /// Writes the file atomically.
  func write(_ folder: DataFolder) throws {
    var lines = ["# The ClickHouse servers with the rows of this folder. Written by plumb."]
    lines.append("store:")
    lines += shards.map { "  - \"\($0)\"" }
    if let cluster { lines.append("store-cluster: \"\(cluster)\"") }
    if let password { lines.append("store-password: \"\(Self.text(password))\"") }
    if let caFile { lines.append("store-ca-file: \"\(caFile)\"") }
    let data = Data((lines.joined(separator: "\n") + "\n").utf8)
    try data.write(to: URL(fileURLWithPath: folder.rowServers), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.rowServers)
  }

  /// Parses a password's location: `env:NAME`, `file:/PATH` or `credential:NAME`.
  static func source(_ text: String) -> SecretSource? {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    switch parts[0] {
    case "env": return .environment(parts[1])
    case "file": return parts[1].hasPrefix("/") ? .file(parts[1]) : nil
    case "credential": return .credential(parts[1])
    default: return nil
    }
  }

  private static func text(_ source: SecretSource) -> String {
    switch source {
    case .environment(let name): "env:\(name)"
    case .file(let path): "file:\(path)"
    case .credential(let name): "credential:\(name)"
    }
  }
}

extension Settings {
  /// The servers of the settings `store`, `store-cluster`, `store-password` and `store-ca-file`; nil if `store` is not
  /// set.
  public func rowServers(flags: [String] = []) throws -> ClickHouseServers? {
    let addresses =
      flags.isEmpty
      ? (value("store", flag: nil) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init) : flags
    guard !addresses.isEmpty else { return nil }
    let password = try value("store-password", flag: nil).map { text in
      guard let source = ClickHouseServers.source(text) else {
        throw UsageError("store-password: expected the password's location: env:NAME, file:/PATH or credential:NAME.")
      }
      return source
    }
    return try ClickHouseServers(
      addresses, cluster: value("store-cluster", flag: nil), password: password,
      caFile: value("store-ca-file", flag: nil))
  }
}

extension Installation {
  /// Stores the ClickHouse servers in the folder. Throws for a folder whose rows are in `plumb.db`, and if a server
  /// that may have rows is left out.
  public func use(_ servers: ClickHouseServers) throws {
    var new = servers
    if let known = try ClickHouseServers.read(folder) {
      guard known != servers else { return }
      new.shards.removeAll { known.shards.contains($0) }
      let lost = known.shards.filter { !servers.shards.contains($0) }
      guard lost.isEmpty else {
        throw UserFacingError(
          """
          --store leaves out \(lost.map { "\($0)" }.joined(separator: ", ")), which may have rows of this folder. List \
          all servers. If a server moved, change its address in \(folder.rowServers).
          """)
      }
    } else if FileManager.default.fileExists(atPath: folder.plumb) {
      throw UserFacingError(
        "--store: the rows of this folder are in plumb.db. Move them to ClickHouse first, with `plumb store copy`."
      )
    }
    // The servers are contacted before they are stored, so that a misspelt name is not kept.
    try servers.connect().migrate()
    try new.connect().checkEmpty()
    try servers.write(folder)
  }
}
