import Core
import GRDB
import Ingest
import Storage

/// The deletion of a part of an app's data in one transaction. The remaining numbers are those of a store that never
/// had the data. If they cannot be separated, the deletion is refused and nothing changes.
struct StoreErasure {
  let database: Database
  let app: AppID
  let replay: JournalReplay
  /// The rows of a ledger; nil for a store with its own rows.
  private let facts: (any FactTable)?
  private(set) var findings = ErasureFindings()
  private var days: Set<CalendarDay> = []
  private var signatures: Set<Int64> = []

  init(_ database: Database, _ app: AppID, _ replay: JournalReplay, _ facts: (any FactTable)?) {
    self.database = database
    self.app = app
    self.replay = replay
    self.facts = facts
  }

  mutating func run(_ scope: ErasureScope, using registry: inout NameRegistry) throws {
    switch scope {
    case .app: return
    case .days(let window): try erase(Set(window.allDays), &registry)
    case .metric(let name):
      let removal = MetricRemoval(database, app)
      findings.add(try removal.run(removal.ids(of: name)), "metric rows")
      if facts != nil { try removal.forget(name) }
    case .label(let label, let metric): try erase(label: label, of: metric, &registry)
    case .payload: try erasePayload(&registry)
    case .user(let user): try erase(user: user, &registry)
    case .release(let title): try erase(release: title, &registry)
    }
    try DependentsUpdate(database, app).run(days: days, signatures: signatures, isLedger: facts != nil)
  }

  /// Adds the number of rows that were deleted on the ClickHouse servers of a ledger.
  mutating func note(rowsElsewhere count: Int) { findings.add(count, "metric rows") }

  // MARK: Days

  private mutating func erase(_ days: Set<CalendarDay>, _ registry: inout NameRegistry) throws {
    let deleted = try DayRemoval(database, app, days).run()
    note(deleted, on: days)
    try replaceArrivals(of: deleted.sessions, &registry)
  }

  private mutating func note(_ deleted: DayRemoval.Deleted, on days: Set<CalendarDay>) {
    self.days.formUnion(days)
    signatures.formUnion(deleted.signatures)
    findings.add(deleted.rows, "metric rows")
    findings.add(deleted.sessions.count, "sessions")
    findings.add(deleted.diagnostics.count, "diagnostics")
  }

  /// Removes the sessions from the arrivals of the last three days.
  private func replaceArrivals(of sessions: Set<UInt64>, _ registry: inout NameRegistry) throws {
    guard !sessions.isEmpty else { return }
    var arrivals = ArrivalReplay(of: sessions)
    try replay.forEach(false) { try arrivals.add($0, database, using: &registry) }
    try arrivals.arrivals.replace(by: SessionArrivals(), in: database)
  }

  // MARK: Users

  private mutating func erase(user: UInt64, _ registry: inout NameRegistry) throws {
    let ids = try Int64.fetchAll(
      database, sql: "SELECT sid FROM session WHERE app = ? AND user = ?", arguments: [app, Int64(bitPattern: user)]
    ).map(UInt64.init(bitPattern:))
    var rows = try RowChanges(database, facts)
    let diagnostics = try DiagnosticRemoval(database, app).run(user: user, sessions: Set(ids), using: &registry, &rows)
    try replaceArrivals(of: Set(ids), &registry)
    days.formUnion(try SessionRemoval(database, app).run(ids, using: &registry, &rows))
    try InstallationTable.erase(user: user, of: app, in: database)
    try rows.write(&registry, received: registry.receivedDay)
    days.formUnion(diagnostics.days)
    signatures.formUnion(diagnostics.signatures)
    findings.add(ids.count, "sessions")
    findings.add(diagnostics.identities.count, "diagnostics")
    findings.remains.append(
      """
      Sessions are stored for \(registry.limits.retention.sessions) days after their last update. Older sessions \
      remain in daily sums, without an id. On days with more than 2,048 users, the user also remains in the estimate \
      of the number of users.
      """)
  }

  // MARK: What only the journal separates

  private mutating func erasePayload(_ registry: inout NameRegistry) throws {
    let removed = try replay.removed()
    var days: Set<CalendarDay> = []
    for batch in removed {
      days.formUnion(batch.cells.map(\.bin.day))
      days.formUnion(batch.diagnostics.map(\.bin.day))
      days.formUnion(batch.accumulations.map(\.bin.day))
      days.formUnion(batch.sessions.map { TimeBin(start: $0.minute, resolution: .fiveMinutes).day })
    }
    let instead = "these days, or the app; sessions and diagnostics also by their user's id"
    guard try recount(days, instead, &registry) else { return }
    try IntakeTallyTable(database).subtract(removed.flatMap(\.tallies))
    findings.add(removed.reduce(0) { $0 + $1.sessions.count }, "session updates")
    findings.add(removed.reduce(0) { $0 + $1.diagnostics.count }, "diagnostics")
    findings.add(removed.reduce(0) { $0 + $1.cells.reduce(0) { $0 + $1.series.count } }, "daily series")
  }

  private mutating func erase(label: String, of metric: String, _ registry: inout NameRegistry) throws {
    var days: Set<CalendarDay> = []
    for id in try StoredMetrics(database, app: app).ids(of: [metric]) {
      days.formUnion(try RowTables(database).days(of: app, metric: id, label: label))
    }
    let instead = "the metric \(metric) with all labels, these days, or the app"
    guard try recount(days, instead, &registry) else { return }
    findings.add(days.count, "days with the label")
  }

  /// Recounts days from the journal without the deleted data. Returns false if that changes nothing. Refuses days whose
  /// records are not all in the journal, because their sums might be wrong without the data. `instead`: the deletions
  /// that are always possible.
  private mutating func recount(
    _ days: Set<CalendarDay>, _ instead: String, keeping settings: String = "keep-journal makes",
    _ registry: inout NameRegistry
  ) throws -> Bool {
    guard !days.isEmpty else { return false }
    let before = try DayTotals(of: app, on: days, database)
    _ = try count(days, keptOnly: true, &registry)
    if try DayTotals(of: app, on: days, database) == before { return false }
    let whole = try count(days, keptOnly: false, &registry)
    guard try DayTotals(of: app, on: days, database) == before else {
      let names = days.sorted().prefix(5).map(\.iso).joined(separator: ", ") + (days.count > 5 ? " …" : "")
      throw ErasureRefused(
        """
        Nothing was deleted. The data is part of sums of \(names), and some records of these days are no longer in the \
        journal, so the sums cannot be recounted without the data. Possible deletions: \(instead). For data received \
        from now on, a longer \(settings) such deletions possible for more days.
        """)
    }
    let kept = try count(days, keptOnly: true, &registry)
    try whole.replace(by: kept, in: database)
    return true
  }

  /// Deletes days and counts them from the journal. Returns their arrivals.
  private mutating func count(
    _ days: Set<CalendarDay>, keptOnly: Bool, _ registry: inout NameRegistry
  ) throws -> SessionArrivals {
    let deleted = try DayRemoval(database, app, days).run()
    self.days.formUnion(days)
    signatures.formUnion(deleted.signatures)
    registry.rowCounts = RowCounts()
    var replayed = ReplayFilter(days, sessions: deleted.sessions)
    try replay.forEach(keptOnly) { batch in
      let part = replayed.selected(of: batch)
      var writer = try BatchWriter(
        database, signatures: DiagnosticSignature.signatures(of: part.diagnostics))
      replayed = try writer.replay(part, of: replayed, using: &registry)
    }
    return replayed.arrivals
  }

  // MARK: Releases

  private mutating func erase(release title: String, _ registry: inout NameRegistry) throws {
    let releases = try Set(
      Int64.fetchAll(
        database, sql: "SELECT id FROM release WHERE app = ? AND \(ReleaseFilter.condition)",
        arguments: [app] + StatementArguments(ReleaseFilter(title).arguments)))
    guard !releases.isEmpty else { return }
    var unresolved: Set<CalendarDay> = []
    let environments = try Row.fetchAll(
      database, sql: "SELECT id, name FROM environment WHERE app = ?", arguments: [app])
    for row in environments {
      let (environment, name): (Int64, String) = (try row.value(0), try row.value(1))
      for day in try days(of: releases, in: environment) {
        if try !erase(releases, title, environment, name, on: day, &registry) { unresolved.insert(day) }
      }
    }
    if !unresolved.isEmpty {
      _ = try recount(unresolved, "these days, or the app", keeping: "keep-sessions (or keep-journal) makes", &registry)
    }
    let titles = try Row.fetchAll(
      database, sql: "SELECT version, build FROM release WHERE id IN (\(Self.list(releases)))"
    ).map { NameRegistry.title(version: try $0.value(0), build: try $0.value(1)) }
    for title in titles {
      try database.execute(sql: "DELETE FROM tally WHERE app = ? AND release = ?", arguments: [app, title])
      findings.add(database.changesCount, "payload counts")
    }
    for table in ["arrival", "session_age", "measurement_age", "installation"] {
      try database.execute(sql: "DELETE FROM \(table) WHERE release IN (\(Self.list(releases)))")
    }
    try database.execute(
      sql: "DELETE FROM image WHERE app = ? AND release IN (\(Self.list(releases)))", arguments: [app])
  }

  /// Deletes a day of releases in an environment. Returns false if the remaining sums cannot be computed from the
  /// store.
  private mutating func erase(
    _ releases: Set<Int64>, _ title: String, _ environment: Int64, _ name: String, on day: CalendarDay,
    _ registry: inout NameRegistry
  ) throws -> Bool {
    let all = try DayTotals(of: app, on: [day], environments: [name], database)
    if try all.unlabelled == DayTotals(of: app, on: [day], environments: [name], release: title, database) {
      note(try DayRemoval(database, app, [day], part: .init(environment: environment)).run(), on: [day])
      return true
    }
    var isRebuilt = false
    let rebuild = RollupRebuild(database, app, environment: environment)
    try database.inSavepoint {
      try rebuild.run(day, without: [], using: &registry)
      isRebuilt = try DayTotals(of: app, on: [day], environments: [name], database) == all
      if isRebuilt { try rebuild.run(day, without: releases, using: &registry) }
      return isRebuilt ? .commit : .rollback
    }
    guard isRebuilt else {
      registry.forget()
      return false
    }
    let part = DayRemoval.Part(environment: environment, releases: releases)
    note(try DayRemoval(database, app, [day], part: part).run(), on: [day])
    return true
  }

  /// The days on which releases have data in an environment.
  private func days(of releases: Set<Int64>, in environment: Int64) throws -> [CalendarDay] {
    let slices = try Int64.fetchAll(
      database,
      sql: """
        SELECT id FROM slice WHERE app = ? AND environment = ? AND kind = ? AND release IN (\(Self.list(releases)))
        """, arguments: [app, environment, SliceKind.release.number])
    return try slices.reduce(into: Set()) { $0.formUnion(try RowTables(database).days(ofRollup: $1)) }.sorted()
  }

  private static func list(_ ids: Set<Int64>) -> String { ids.map(String.init).joined(separator: ", ") }
}
