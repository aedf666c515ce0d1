import Core
import Foundation
import GRDB
import Storage

/// The ids of names and slices in a store, and the limits on their number per app.
///
/// It is a cache of the database, and also counts names that wait for admission.
struct NameRegistry {
  let limits: StoreLimits
  var names: [NameKey: Int64] = [:]
  var slices: [SliceKey: Int64] = [:]
  var keys: [Int64: SliceKey] = [:]
  /// The slices that count each cell's data.
  var cellSlices: [Int64: CellSlices] = [:]
  /// The negative numbers of deleted slices in this batch; see `CellSlices.clusters`.
  var goneSlices: [SliceKey: Int64] = [:]
  /// The slice whose row now counts the sessions of a deleted slice, by the deleted slice's negative number.
  var clusterRows: [Int64: Int64] = [:]
  var retired: [NameID: Bool] = [:]
  /// The values of each attribute id in cells: the members of a set, or the id itself.
  var attributeValues: [Int64: [Int64]] = [:]
  var counts: [NameScope: Int] = [:]
  var cellCounts: [AppID: Int] = [:]
  var uses = NameScores()
  var waitingNames = FrequentNameCandidates()
  /// The slices whose rows must be moved, because a name was retired.
  var unmoved: [Int64] = []
  /// Whether this batch retired a name.
  var hasRetired = false
  var rowCounts = RowCounts()
  var waitingStacks = WaitingStacks()
  /// The titles of releases with separate rows.
  var titles: [AppID: Set<String>] = [:]
  /// The latest time of receipt in any batch, in milliseconds since 1970.
  var clock: Int64 = 0
  /// SQLite's version of the file at the last transaction of this connection; nil before the first one.
  private var fileVersion: Int64?
  /// The number of names that became "(other)" since `takeCapped`, by app and kind.
  private var capped: [Capped: Int] = [:]

  struct Capped: Hashable {
    let app: AppID
    let kind: String
  }

  static let other = TallySummary.other

  init(_ limits: StoreLimits) { self.limits = limits }

  /// Clears the registry if another connection of any program has changed the file since the last call. Called at the
  /// beginning of each transaction, which blocks other writers until it ends. Returns whether it was cleared.
  mutating func forgetIfChanged(_ database: Database) throws -> Bool {
    // It changes with every commit of another connection, and never with a commit of this one.
    let version = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
    defer { fileVersion = version }
    guard let fileVersion, fileVersion != version else { return false }
    forget()
    return true
  }

  /// Clears the registry after a rollback, because ids assigned in that transaction are invalid.
  mutating func forget() {
    let (clock, version) = (clock, fileVersion)
    self = NameRegistry(limits)
    (self.clock, fileVersion) = (clock, version)
  }

  /// Deletes the use counts of deleted names: their ids may be reused.
  mutating func forgetUses(of ids: some Sequence<Int64>, _ kind: NameKind) {
    for id in ids { uses.forget(NameID(kind: kind, id: id)) }
    waitingNames.releaseAll(Set(ids), kind)
  }

  /// Clears the caches of ids and counts, which are also in the database.
  mutating func forgetIDs() {
    rowCounts = RowCounts()
    names = [:]
    slices = [:]
    keys = [:]
    cellSlices = [:]
    retired = [:]
    attributeValues = [:]
    counts = [:]
    cellCounts = [:]
    titles = [:]
    unmoved = []
  }

  /// Clears caches that exceed their limit, because an app may have more combinations than fit into memory.
  mutating func bound() {
    if names.count > limits.cached { names = [:] }
    if slices.count > limits.cached { slices = [:] }
    if keys.count > limits.cached { keys = [:] }
    if cellSlices.count > limits.cached { cellSlices = [:] }
    if retired.count > limits.cached { retired = [:] }
    if attributeValues.count > limits.cached { attributeValues = [:] }
    if counts.count > limits.cached { counts = [:] }
  }

  mutating func takeCapped() -> [Capped: Int] {
    defer { capped = [:] }
    return capped
  }

  /// The id of a name; while it waits for admission, that of "(other)". `weight`: the number of payloads that use the
  /// name.
  mutating func id(of key: NameKey, uses weight: Double, in database: Database) throws -> Int64 {
    if let known = names[key] {
      if weight > 0 { uses.add(weight, to: NameID(kind: key.scope.kind, id: known)) }
      return known
    }
    if key.isOther { return try otherID(key, in: database) }
    if waitingNames.isWaiting(key) { return try wait(key, weight, in: database) }
    let table = NameTable(key.scope.kind, database)
    let id: Int64
    if let found = try table.find(key) {
      id = found
    } else {
      let count = try counts[key.scope] ?? table.count(key.scope)
      counts[key.scope] = count
      guard count < limits.names.most(key.scope.kind) else { return try wait(key, weight, in: database) }
      id = try table.insert(key, NameScore(uses: 0, day: today))
      counts[key.scope] = count + 1
      noteAdmitted(key)
    }
    names[key] = id
    uses.add(weight, to: NameID(kind: key.scope.kind, id: id))
    return id
  }

  private mutating func wait(_ key: NameKey, _ weight: Double, in database: Database) throws -> Int64 {
    if waitingNames.note(key, weight), key.scope.kind != .client {
      capped[Capped(app: key.scope.app, kind: key.scope.kind.rawValue), default: 0] += 1
    }
    return try otherID(key, in: database)
  }

  /// The id of "(other)" in the name's scope.
  mutating func otherID(_ key: NameKey, in database: Database) throws -> Int64 {
    let other = key.other
    if let known = names[other] { return known }
    let table = NameTable(key.scope.kind, database)
    let id = try table.find(other) ?? table.insert(other, NameScore(uses: 0, day: today))
    names[other] = id
    return id
  }

  // MARK: One batch

  /// Ends a batch after all its rows were written. Returns whether it retired a name, so that stored rows of any day
  /// have another name now.
  mutating func finish(in database: Database) throws -> Bool {
    _ = try admit(in: database)
    waitingNames.endBatch()
    try uses.save(on: today) { NameTable($0, database) }
    try moveRows(in: database)
    defer { hasRetired = false }
    clusterRows = [:]
    goneSlices = [:]
    cellSlices = cellSlices.filter { $0.value.clusters.allSatisfy { $0 > 0 } }
    bound()
    return hasRetired
  }

  // MARK: Names outside cells

  /// The id of a metric: its catalogue number, or a higher number for a custom metric.
  mutating func metric(
    _ metric: MetricReference, app: AppID, uses: Double = 1, in database: Database
  ) throws -> Int64 {
    switch metric {
    case .known(let number): Int64(number)
    case .custom(let text, let unit, let kind):
      try id(of: Self.metric(text, unit, kind, app), uses: uses, in: database)
    }
  }

  /// The id of a label; 0 for no label.
  mutating func label(_ text: String, metric: Int64, app: AppID, in database: Database) throws -> Int64 {
    text.isEmpty ? 0 : try id(of: Self.label(text, metric, app), uses: 1, in: database)
  }

  /// Whether a metric has an id of its own, rather than that of "(other)".
  func isAdmitted(_ metric: MetricReference, app: AppID) -> Bool {
    switch metric {
    case .known: true
    case .custom(let text, let unit, let kind): isAdmitted(Self.metric(text, unit, kind, app))
    }
  }

  /// Whether a label of a metric has an id of its own, or is empty.
  func isAdmitted(_ label: String, of metric: Int64, app: AppID) -> Bool {
    label.isEmpty || isAdmitted(Self.label(label, metric, app))
  }

  private func isAdmitted(_ key: NameKey) -> Bool { !key.isOther && names[key] != nil }

  private static func metric(_ text: String, _ unit: MetricUnit, _ kind: Metric.Kind, _ app: AppID) -> NameKey {
    let variant = Int(unit.rawValue) << 1 | (kind == .distribution ? 0 : 1)
    return NameKey(scope: NameScope(kind: .metric, app: app), text: text, variant: variant)
  }

  private static func label(_ text: String, _ metric: Int64, _ app: AppID) -> NameKey {
    NameKey(scope: NameScope(kind: .label, app: app, metric: metric), text: text)
  }

  /// The name under which a client is counted: its own name or "(other)".
  mutating func client(_ text: String, app: AppID, uses: Double, in database: Database) throws -> String {
    if text.isEmpty { return text }
    let key = NameKey(scope: NameScope(kind: .client, app: app), text: text)
    _ = try id(of: key, uses: uses, in: database)
    return names[key] == nil ? Self.other : text
  }

  /// The title under which a release is counted: its own title, or "(other)" if it has no separate rows.
  mutating func release(titled title: String, app: AppID, in database: Database) throws -> String {
    if title.isEmpty { return title }
    let known = try titles[app] ?? storedTitles(app, in: database)
    titles[app] = known
    return known.contains(title) ? title : Self.other
  }

  private func storedTitles(_ app: AppID, in database: Database) throws -> Set<String> {
    try Set(
      Row.fetchAll(database, sql: "SELECT version, build FROM release WHERE app = ? AND retired = 0", arguments: [app])
        .map { Self.title(version: try $0.value(0), build: try $0.value(1)) })
  }

  /// The title of a release in the format that aggregation uses.
  static func title(version: String, build: String) -> String {
    build.isEmpty ? version : "\(version) (\(build))"
  }

  private mutating func noteAdmitted(_ key: NameKey) {
    guard key.scope.kind == .release else { return }
    titles[key.scope.app]?.insert(Self.title(version: key.text, build: key.build))
  }
}
