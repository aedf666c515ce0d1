import Core
import Foundation
import GRDB
public import Storage

/// The table `stack` of `samples.db`: for each kind, environment, version and week, the call trees of at most
/// `mostPerSlot` diagnostics. Those with the lowest hash of their identity are kept, which is a random sample that does
/// not depend on the order of arrival.
struct StackTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The number of call trees of one slot.
  static let mostPerSlot = 200

  /// The diagnostics that share a limit.
  struct Slot: Hashable {
    let app: AppID
    let hash: Int64

    init(app: AppID, kind: DiagnosticKind, environment: String, version: String, week: Int) {
      self.app = app
      var hash = StableHash()
      hash.add(UInt64(kind.rawValue))
      hash.add(environment)
      hash.add(version)
      hash.add(UInt64(bitPattern: Int64(week)))
      self.hash = Int64(bitPattern: hash.value)
    }

    init(_ record: DiagnosticRecord) {
      self.init(
        app: record.key.app, kind: record.kind, environment: record.key.environment,
        version: record.key.release.version, week: Self.week(of: record.bin.day))
    }

    static func week(of day: CalendarDay) -> Int { Int((Double(day.number) / 7).rounded(.down)) }
  }

  /// A position in a random order of all diagnostics: 0 to `Int64.max`.
  static func rank(of identity: UInt64) -> Int64 {
    var hash = StableHash()
    hash.add(identity)
    return Int64(hash.value >> 1)
  }

  /// Stores the call trees of those diagnostics that belong to the sample.
  func keep(_ records: [DiagnosticRecord]) throws {
    let bySlot = Dictionary(grouping: records.filter { $0.kind.isSampled && !$0.calls.bytes.isEmpty }, by: Slot.init)
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO stack (app, identity, slot, rank, received, stored, calls) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    let drop = try database.cachedStatement(
      sql: """
        DELETE FROM stack WHERE rowid IN
          (SELECT rowid FROM stack WHERE app = ? AND slot = ? ORDER BY rank LIMIT -1 OFFSET \(Self.mostPerSlot))
        """)
    for (slot, records) in bySlot.sorted(by: { ($0.key.app, $0.key.hash) < ($1.key.app, $1.key.hash) }) {
      let last = try lastRank(of: slot) ?? Int64.max
      var chosen = records.map { (rank: Self.rank(of: $0.identity), record: $0) }.filter { $0.rank < last }
      chosen.sort { ($0.rank, $0.record.received) < ($1.rank, $1.record.received) }
      for (rank, record) in chosen.prefix(Self.mostPerSlot) {
        let calls = record.calls.frame()
        try insert.execute(arguments: [
          slot.app, Int64(bitPattern: record.identity), slot.hash, rank, record.received.milliseconds,
          calls.count, Data(calls),
        ])
      }
      if !chosen.isEmpty { try drop.execute(arguments: [slot.app, slot.hash]) }
    }
  }

  /// The highest rank of a full slot; nil for a slot with room.
  private func lastRank(of slot: Slot) throws -> Int64? {
    try Int64.fetchOne(
      try database.cachedStatement(
        sql: "SELECT rank FROM stack WHERE app = ? AND slot = ? ORDER BY rank LIMIT 1 OFFSET \(Self.mostPerSlot - 1)"),
      arguments: [slot.app, slot.hash])
  }

  /// The identities in slots, each with the number of diagnostics for which it stands.
  func identities(in slots: [Slot]) throws -> [(identity: UInt64, weight: Double)] {
    let find = try database.cachedStatement(
      sql: "SELECT identity, rank FROM stack WHERE app = ? AND slot = ? ORDER BY rank")
    return try slots.flatMap { slot in
      let rows = try Row.fetchAll(find, arguments: [slot.app, slot.hash])
      // Of a full slot, the share of diagnostics below its last rank is known.
      let last = try rows.count >= Self.mostPerSlot ? rows.last?.value(1, as: Int64.self) : nil
      let weight = last.map { max(1, Double(Int64.max) / max(1, Double($0))) } ?? 1
      return try rows.map { (UInt64(bitPattern: try $0.value(0, as: Int64.self)), weight) }
    }
  }

  func calls(of app: AppID, identity: UInt64) throws -> [UInt8]? {
    try Data.fetchOne(
      try database.cachedStatement(sql: "SELECT calls FROM stack WHERE app = ? AND identity = ?"),
      arguments: [app, Int64(bitPattern: identity)]
    ).map { [UInt8]($0) }
  }
}

extension SQLiteStore {
  /// The maximum number of call trees of one answer.
  private static let mostStacks = 400
  /// The maximum number of versions whose call trees are read for a slice without a release: the newest.
  private static let mostVersions = 50
  /// The maximum number of diagnostics that are looked up for one answer, and of weeks, the newest, that are read.
  private static let (mostLookups, mostWeeks) = (10_000, 15)

  public func stacks(_ query: GroupQuery) throws -> CallTreeSamples {
    guard let samples, let kind = query.kind, kind.isSampled else { return CallTreeSamples(diagnostics: 0, stacks: []) }
    let count = try read { try GroupQueries($0).groups(query) }.reduce(0) { $0.saturatingAdd($1.diagnostics) }
    let slots = try slots(query, kind)
    return try samples.unlessDamaged(or: CallTreeSamples(diagnostics: count, stacks: [])) { samples in
      let kept = Self.thinned(try samples.database.read { try StackTable($0).identities(in: slots) })
      var stacks = try read { database in
        let queries = GroupQueries(database)
        return try kept.compactMap { kept in
          try queries.diagnostic(query, identity: kept.identity).map { quantity, user in
            CallTreeSamples.Stack(
              identity: kept.identity, quantity: quantity, user: user, weight: kept.weight, calls: [])
          }
        }
      }
      // Every slot contributes the same share of its diagnostics.
      if stacks.count > Self.mostStacks {
        stacks.sort {
          (StackTable.rank(of: $0.identity), $0.identity) < (StackTable.rank(of: $1.identity), $1.identity)
        }
        let share = Double(stacks.count) / Double(Self.mostStacks)
        stacks.removeSubrange(Self.mostStacks...)
        for index in stacks.indices { stacks[index].weight *= share }
      }
      stacks = try samples.database.read { database in
        try stacks.compactMap { stack in
          guard let calls = try StackTable(database).calls(of: query.app, identity: stack.identity) else { return nil }
          var stack = stack
          stack.calls = calls
          return stack
        }
      }
      return CallTreeSamples(diagnostics: count, stacks: stacks)
    }
  }

  /// At most `mostLookups` diagnostics: those with the lowest ranks, which are a random sample of all.
  private static func thinned(
    _ kept: [(identity: UInt64, weight: Double)]
  ) -> [(identity: UInt64, weight: Double)] {
    guard kept.count > mostLookups else { return kept }
    let share = Double(kept.count) / Double(mostLookups)
    let ranked = kept.map { (rank: StackTable.rank(of: $0.identity), kept: $0) }
      .sorted { ($0.rank, $0.kept.identity) < ($1.rank, $1.kept.identity) }
    return ranked.prefix(mostLookups).map { ($0.kept.identity, $0.kept.weight * share) }
  }

  private func slots(_ query: GroupQuery, _ kind: DiagnosticKind) throws -> [StackTable.Slot] {
    var versions = [query.slice.release.map { Release(title: $0).version } ?? ""]
    if query.slice.release == nil {
      let releases = try inventory(of: query.app).releases.filter { $0.environment == query.slice.environment }
      let newest = releases.sorted { ($0.lastDay, $0.release.title) > ($1.lastDay, $1.release.title) }
      versions = []
      for name in newest.lazy.map(\.release.version) where !versions.contains(name) {
        versions.append(name)
        if versions.count == Self.mostVersions { break }
      }
    }
    let last = StackTable.Slot.week(of: query.window.to)
    let weeks = max(last - Self.mostWeeks + 1, StackTable.Slot.week(of: query.window.from))...last
    return versions.flatMap { version in
      weeks.map {
        StackTable.Slot(
          app: query.app, kind: kind, environment: query.slice.environment, version: version, week: $0)
      }
    }
  }
}
