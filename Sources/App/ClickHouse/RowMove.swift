import ClickHouseStore
import Core
import Foundation
public import Logging
import SQLiteStore
import Storage

/// Moves the rows of a data folder to ClickHouse, or back. Everything else stays in the folder.
///
/// A killed move resumes when it is started again. At any time, each row is in one place.
public struct RowMove {
  /// What was moved and compared.
  public struct Result: Sendable {
    /// The number of rows that this run has moved.
    public var rows: Int
    /// The number of compared totals: one per app, environment and metric.
    public var compared: Int
  }

  private let folder: DataFolder
  private let logger: Logger
  private let progress: (_ done: Int, _ all: Int) -> Void

  /// `progress` is called with the rows done and all rows.
  public init(_ path: String, logger: Logger, progress: @escaping (Int, Int) -> Void) throws {
    folder = try Installation.existingFolder(path)
    try StandbyMarker.refuse(folder)
    self.logger = logger
    self.progress = progress
  }

  /// The file with the totals before the move, which exists until the move is verified.
  private var totalsFile: URL { folder.url.appendingPathComponent("store.totals") }

  /// Moves the rows of `plumb.db` to `servers`.
  public func run(to servers: ClickHouseServers) throws -> Result {
    let locks = try FolderLock.all(of: folder)
    defer { withExtendedLifetime(locks) {} }
    let known = try ClickHouseServers.read(folder)
    if let known, known.shards != servers.shards {
      throw UserFacingError(
        """
        --to: the rows of this folder are already on other servers, or are being moved there. See \
        \(folder.rowServers). To add a server, list all of them with `plumb serve --store`.
        """)
    }
    try servers.connect().migrate()
    if known == nil {
      try servers.connect().checkEmpty()
      try Installation.upgrade(folder)
      let installation = try Installation.existing(folder.url.path)
      try write(totals(installation))
    }
    // The file is also written when only the password changed.
    try servers.write(folder)
    try MoveToClickHouse.begin(folder.plumb)
    let installation = try Installation.existing(folder.url.path)
    let store = try installation.store()
    let feed = try feed(of: store, to: servers)
    let move = try MoveToClickHouse(store)
    var (rows, all) = (0, try move.left())
    // Sends what an earlier run left in the outbox.
    try feed.sendAll()
    guard FileManager.default.fileExists(atPath: totalsFile.path) else { return Result(rows: 0, compared: 0) }
    while case let count = try move.moveSome(), count > 0 {
      rows += count
      all = max(all, rows)
      try feed.sendAll()
      progress(rows, all)
    }
    let compared = try verify(installation)
    _ = try store.releaseSpace(all: true, convertingWithin: 0)
    try FileManager.default.removeItem(at: totalsFile)
    return Result(rows: rows, compared: compared)
  }

  /// Copies the rows back into `plumb.db`. They also stay on the servers. `named`: the servers given to the command.
  public func runBack(from named: ClickHouseServers?) throws -> Result {
    let locks = try FolderLock.all(of: folder)
    defer { withExtendedLifetime(locks) {} }
    guard let servers = try ClickHouseServers.read(folder) else {
      throw UserFacingError("The rows of this folder are in plumb.db: there is nothing to move back.")
    }
    guard named.map({ Set($0.shards) == Set(servers.shards) }) ?? true else {
      throw UserFacingError("--from: the rows of this folder are on other servers. See \(folder.rowServers).")
    }
    let installation = try Installation.existing(folder.url.path)
    let store = try installation.store()
    guard !store.isMoving || FileManager.default.fileExists(atPath: returnFile.path) else {
      throw UserFacingError("A move to ClickHouse was interrupted. Complete it first by repeating its command.")
    }
    let feed = try feed(of: store, to: servers)
    try feed.sendAll()
    let apps = try installation.control.apps()
    if !FileManager.default.fileExists(atPath: returnFile.path) {
      try write(totals(installation))
      try Data().write(to: returnFile)
    }
    let back = try ReturnFromClickHouse(store)
    for (index, app) in apps.enumerated() {
      try back.run(app.id) { done, all in progress(index * all + done, apps.count * all) }
    }
    try back.finish()
    try store.close()
    try FileManager.default.removeItem(atPath: folder.rowServers)
    let compared = try verify(try Installation.existing(folder.url.path))
    for file in [returnFile, totalsFile] { try FileManager.default.removeItem(at: file) }
    return Result(rows: 0, compared: compared)
  }

  /// The file that marks a move back that has begun.
  private var returnFile: URL { folder.url.appendingPathComponent("store.returning") }

  private func feed(of store: SQLiteStore, to servers: ClickHouseServers) throws -> FactFeed {
    let sender = try servers.connect().sender(for: store)
    return FactFeed(store, sender, clock: WallClock.now, changed: {}) { [logger] in logger.warning("\($0)") }
  }

  // MARK: Comparing

  private struct Total: Codable, Equatable {
    var app: String
    var environment: String
    var metric: String
    var sums: [Int64]
  }

  private func totals(_ installation: Installation) throws -> [Total] {
    let store = try installation.store()
    return try installation.control.apps().flatMap { app in
      try StoreTotals(of: app.id, in: store).sums.map { name, sums in
        Total(app: app.bundleID, environment: name.environment, metric: name.metric, sums: sums)
      }
    }
  }

  private func write(_ totals: [Total]) throws {
    try JSONEncoder().encode(totals).write(to: totalsFile, options: .atomic)
  }

  /// Compares the totals of the rows with those before the move. Returns the number of totals.
  private func verify(_ installation: Installation) throws -> Int {
    let before = try JSONDecoder().decode([Total].self, from: Data(contentsOf: totalsFile))
    let after = try Dictionary(grouping: totals(installation), by: { [$0.app, $0.environment, $0.metric] })
    let different = before.filter { after[[$0.app, $0.environment, $0.metric]]?.first?.sums != $0.sums }
    guard different.isEmpty else {
      let names = different.prefix(5).map { total in
        let found = after[[total.app, total.environment, total.metric]]?.first?.sums ?? [0, 0]
        return "\(total.metric) of \(total.app), \(total.environment): \(total.sums) before, \(found) now"
      }
      throw UserFacingError(
        "\(different.count) of \(before.count) totals differ from before the move: \(names.joined(separator: "; ")).")
    }
    return before.count
  }
}
