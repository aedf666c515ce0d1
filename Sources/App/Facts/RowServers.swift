public import ClickHouseStore
import Core
import Foundation
import Outbound
public import SQLiteStore

/// The ClickHouse servers with the rows of a data folder, as its file `store.yaml` names them.
///
/// The file holds no secret: it says where the password is.
public struct RowServers: Sendable, Equatable {
  /// A shard each.
  public var shards: [ClickHouseAddress]
  /// The name of the cluster in the configuration of the servers; nil for one shard.
  var cluster: String?
  /// Where the password of the addresses' users is; nil for none.
  var password: SecretSource?
  /// The path of certificates of authorities to trust instead of the system's.
  var caFile: String?

  /// Reads addresses such as `clickhouse://plumb@10.0.0.5:8123/plumb`. Throws `UsageError`.
  init(_ addresses: [String], cluster: String?, password: SecretSource?, caFile: String?) throws {
    guard !addresses.isEmpty else { throw UsageError("store: at least one address is needed.") }
    do {
      shards = try addresses.map { try ClickHouseAddress($0) }
    } catch {
      throw UsageError("store: \(error).")
    }
    guard Set(shards).count == shards.count else { throw UsageError("store: a server is named twice.") }
    if let cluster {
      guard !cluster.isEmpty, cluster.utf8.allSatisfy({ Self.isNameByte($0) }) else {
        throw UsageError("store-cluster: expected a name of letters, digits and _, found \"\(cluster)\".")
      }
    }
    if shards.count > 1, Set(shards.map(\.database)).count > 1 {
      throw UsageError("store: the servers must have the rows in a database of the same name.")
    }
    self.cluster = shards.count > 1 ? cluster ?? "plumb" : nil
    self.password = password
    self.caFile = caFile
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 0x20) || (48...57).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// Clients of the servers. Throws if the password cannot be read.
  func connect(clock: @escaping @Sendable () -> Timestamp = WallClock.now) throws -> FactCluster {
    let secret = try password?.read(environment: ProcessInfo.processInfo.environment)
    let clients = shards.map { address in
      ClickHouseClient(address, password: secret.map { $0.use { $0 } }, caFile: caFile)
    }
    return FactCluster(clients, name: cluster, clock: clock)
  }
}

// MARK: - The file

extension RowServers {
  /// The servers that a folder's file names; nil without the file. Throws `UsageError` for a file that cannot be used.
  public static func read(_ folder: DataFolder) throws -> RowServers? {
    guard FileManager.default.fileExists(atPath: folder.rowServers) else { return nil }
    return try Settings(path: folder.rowServers, environment: [:]).rowServers()
  }

  /// Writes the file, whole or not at all.
  func write(_ folder: DataFolder) throws {
    var lines = ["# Where the rows of this folder are, besides plumb.db. Written by plumb."]
    lines.append("store:")
    lines += shards.map { "  - \"\($0)\"" }
    if let cluster { lines.append("store-cluster: \"\(cluster)\"") }
    if let password { lines.append("store-password: \"\(Self.text(password))\"") }
    if let caFile { lines.append("store-ca-file: \"\(caFile)\"") }
    let data = Data((lines.joined(separator: "\n") + "\n").utf8)
    try data.write(to: URL(fileURLWithPath: folder.rowServers), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.rowServers)
  }

  /// Reads where a password is: `env:NAME`, `file:/PATH` or `credential:NAME`.
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
  /// The servers that `store` names, and with them `store-cluster`, `store-password` and `store-ca-file`; nil if it is not
  /// set.
  public func rowServers(flags: [String] = []) throws -> RowServers? {
    let addresses =
      flags.isEmpty
      ? (value("store", flag: nil) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init) : flags
    guard !addresses.isEmpty else { return nil }
    let password = try value("store-password", flag: nil).map { text in
      guard let source = RowServers.source(text) else {
        throw UsageError("store-password says where the password is: env:NAME, file:/PATH or credential:NAME.")
      }
      return source
    }
    return try RowServers(
      addresses, cluster: value("store-cluster", flag: nil), password: password,
      caFile: value("store-ca-file", flag: nil))
  }
}

extension Installation {
  /// Notes the servers with the rows in the folder. Throws for a folder whose rows are in `plumb.db`, and for servers that
  /// lack one that may have rows already.
  public func use(_ servers: RowServers) throws {
    var new = servers
    if let known = try RowServers.read(folder) {
      guard known != servers else { return }
      new.shards.removeAll { known.shards.contains($0) }
      let lost = known.shards.filter { !servers.shards.contains($0) }
      guard lost.isEmpty else {
        throw UserFacingError(
          """
          The rows of this folder are in \(lost.map { "\($0)" }.joined(separator: ", ")), too, which --store leaves out. \
          Name all servers. One that moved is renamed in \(folder.rowServers).
          """)
      }
    } else if FileManager.default.fileExists(atPath: folder.plumb) {
      throw UserFacingError(
        "The rows of this folder are in plumb.db. `plumb store copy` moves them to ClickHouse, after which --store is known."
      )
    }
    // Asked before it is noted, so that a misspelt name does not stay.
    try servers.connect().migrate()
    try new.connect().checkEmpty()
    try servers.write(folder)
  }
}
