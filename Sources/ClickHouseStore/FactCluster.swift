public import Core
public import Storage
import Synchronization

/// The ClickHouse servers with an installation's rows. Each is a shard with the table `facts`.
public final class FactCluster: FactTable {
  /// The shards. The outbox identifies each by its address.
  let shards: [ClickHouseClient]
  /// The cluster's name in the servers' configuration, with which one server queries all of them; nil for a single
  /// shard.
  private let name: String?
  private let clock: @Sendable () -> Timestamp
  private let cache = Mutex(Cache())

  private struct Cache {
    /// The releases of apps, until a change is stored and for at most some seconds, because another process may also
    /// store.
    var releases: [AppID: (found: [KnownRelease], at: ContinuousClock.Instant)] = [:]
    var version = 0
  }

  /// The table with which a server reads the rows of all shards.
  private static let distributed = "all_facts"

  /// `name`: the cluster's name in the configuration of each server (`remote_servers`); required for more than one
  /// shard. `clock`: the current time, from which the age of rows is counted.
  public init(_ shards: [ClickHouseClient], name: String?, clock: @escaping @Sendable () -> Timestamp) {
    precondition(shards.count < 2 || name != nil, "several shards require the name of their cluster")
    self.shards = shards
    self.name = name
    self.clock = clock
  }

  public var mostFacts: Int { FactBlock.mostRows }

  public func encode(_ facts: [Fact], _ id: BlockID, of node: NodeID, received: CalendarDay) -> [UInt8] {
    var block = FactBlock()
    for fact in facts { block.add(fact) }
    return block.encoded(id, of: node, received: received)
  }

  public func state() throws -> FactTableState { try read { try $0.state() } }

  public func rows(_ queries: [RowQuery]) throws -> [[MetricRow]] {
    queries.isEmpty ? [] : try read { try $0.rows(queries) }
  }

  public func releases(of app: AppID) throws -> [KnownRelease] {
    let (known, version) = cache.withLock { ($0.releases[app], $0.version) }
    if let known, ContinuousClock.now - known.at < Self.remembered { return known.found }
    let found = try read { try $0.releases(of: app) }
    cache.withLock { if $0.version == version { $0.releases[app] = (found, .now) } }
    return found
  }

  private static let remembered = Duration.seconds(10)

  public func stored(_ app: AppID, _ kind: SliceKind, from day: CalendarDay) throws -> [StoredFact] {
    try read { try $0.stored(app, kind, from: day) }
  }

  /// Notes that the rows of the shards have changed.
  func noteChange() {
    cache.withLock { cache in
      cache.releases = [:]
      cache.version += 1
    }
  }

  /// Reads the rows of all shards through the first shard that can be reached. Throws `StoreError.unavailable` if one
  /// is missing, because a part of the rows would give wrong numbers.
  private func read<Value>(_ body: (FactReader) throws -> Value) throws -> Value {
    let today = clock().day()
    var failure: ClickHouseError?
    for client in shards {
      do {
        return try body(FactReader(client, table: name == nil ? "facts" : Self.distributed, today: today))
      } catch let error as ClickHouseError {
        failure = error
        guard error.kind == .notSent else { break }
      }
    }
    // The error of the queried server hardly mentions the server that is missing.
    let away = shards.filter { (try? $0.version()) == nil }.map { "\($0.address)" }
    let reason = away.isEmpty ? failure.map { "\($0)" } : "\(away.joined(separator: ", ")) cannot be reached"
    throw StoreError.unavailable(reason ?? "no ClickHouse server is configured")
  }

  /// Applies the missing migrations to the tables of every shard. Returns the applied steps by the shard's address.
  /// Throws the first error after all shards were tried.
  @discardableResult public func migrate() throws -> [String: [String]] {
    var done: [String: [String]] = [:]
    var failure: (any Error)?
    for client in shards {
      do {
        done["\(client.address)"] = try migrate(client)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return done.filter { !$0.value.isEmpty }
  }

  private func migrate(_ client: ClickHouseClient) throws -> [String] {
    var steps = try FactMigrations.migrate(client)
    guard let name else { return steps }
    if try FactMigrations.addDistributed(Self.distributed, cluster: name, client) { steps.append(Self.distributed) }
    try checkCluster(client)
    return steps
  }

  /// Throws if a shard already has rows of any data folder.
  public func checkEmpty() throws {
    for client in shards where try client.rows("SELECT number FROM facts LIMIT 1").count > 0 {
      throw NotEmpty(address: client.address)
    }
  }

  /// The error for a database that already has rows.
  struct NotEmpty: Error, CustomStringConvertible {
    let address: ClickHouseAddress

    var description: String {
      """
      \(address) already has rows, of this or another data folder: name an empty database, or drop its tables facts \
      and plumb_migrations
      """
    }
  }

  /// Throws if the server's cluster has another number of shards: rows would be missing or counted twice.
  private func checkCluster(_ client: ClickHouseClient) throws {
    let count = try client.rows(
      "SELECT uniq(shard_num) AS shards FROM system.clusters WHERE cluster = \(ClickHouseQuoting.literal(name ?? ""))"
    ).integers("shards").first
    guard count == Int64(shards.count) else {
      throw WrongCluster(address: client.address, name: name ?? "", found: count ?? 0, expected: shards.count)
    }
  }

  /// The error for a server whose cluster has another number of shards than the settings.
  struct WrongCluster: Error, CustomStringConvertible {
    let address: ClickHouseAddress
    let name: String
    let found: Int64
    let expected: Int

    var description: String {
      """
      the cluster "\(name)" in the configuration of \(address) has \(found) shards, and \(expected) are named: \
      remote_servers must list the same servers, each as a shard
      """
    }
  }
}

extension FactCluster {
  /// A sender that stores the blocks of a ledger in these shards.
  public func sender(for outbox: any FactOutbox) throws -> FactSender {
    let node = try outbox.factNode()
    let writers = try shards.map { FactSender.Shard(name: "\($0.address)", writer: try FactWriter($0, node: node)) }
    return FactSender(outbox, to: writers) { [weak self] in self?.noteChange() }
  }
}

// MARK: - Deleting

extension FactCluster {
  public func delete(_ part: FactPart, isTrial: Bool) throws -> Int {
    var conditions = ["app = \(part.app)"]
    if let days = part.days {
      let ranges = days.map { "(start >= \($0.lowerBound * 1440) AND start < \(($0.upperBound + 1) * 1440))" }
      conditions.append(ranges.isEmpty ? "0" : "(\(ranges.joined(separator: " OR ")))")
    }
    if let metrics = part.metrics {
      conditions.append(metrics.isEmpty ? "0" : "metric IN \(ClickHouseQuoting.list(metrics))")
    }
    defer { noteChange() }
    return try mutate(conditions.joined(separator: " AND "), isTrial: isTrial)
  }

  public func expire(_ retention: Retention, today: CalendarDay) throws {
    // The partition of a week has rows up to its last day.
    func oldestWeek(_ days: Int) -> Int { (today.number - days - 6) / 7 }
    for client in shards {
      let parts = try client.rows(
        """
        SELECT DISTINCT toUInt32(partition) AS week FROM system.parts
        WHERE database = currentDatabase() AND table = 'facts' AND active AND week < \(oldestWeek(retention.daily))
        """
      ).integers("week")
      for week in parts { try client.execute("ALTER TABLE facts DROP PARTITION \(week)") }
    }
    let cells = "kind = \(SliceKind.cell.rawValue) AND part < \(oldestWeek(retention.fine))"
    _ = try mutate(cells)
    noteChange()
  }

  /// Deletes rows from every shard, waits until they are deleted, and returns their number. A server rewrites whole
  /// parts for a deletion, so servers without such rows are skipped.
  private func mutate(_ condition: String, isTrial: Bool = false) throws -> Int {
    var all = 0
    for client in shards {
      let count = try client.rows("SELECT count() AS rows FROM facts WHERE \(condition)").integers("rows").first ?? 0
      guard count > 0 else { continue }
      all += Int(count)
      if isTrial { continue }
      try client.execute("ALTER TABLE facts DELETE WHERE \(condition)")
      try FactMigrations.waitForMutations(of: "facts", client)
    }
    return all
  }
}
