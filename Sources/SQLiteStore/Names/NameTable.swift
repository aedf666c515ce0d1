import Core
import GRDB
import Storage

/// The table of one kind of names.
struct NameTable {
  private let kind: NameKind
  private let database: Database

  init(_ kind: NameKind, _ database: Database) {
    self.kind = kind
    self.database = database
  }

  /// A name that is not retired, with its score on the day of its last write.
  struct Standing {
    let id: Int64
    let score: NameScore
  }

  func find(_ key: NameKey) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(
        sql:
          "SELECT id FROM \(table) WHERE app = ? AND \(identity.map { "\($0) = ?" }.joined(separator: " AND ")) AND retired = 0"
      ),
      arguments: [key.scope.app] + values(of: key))
  }

  func insert(_ key: NameKey, _ score: NameScore) throws -> Int64 {
    let columns = ["app"] + identity + ["uses", "used_day"]
    var extra: (columns: [String], values: [String], arguments: StatementArguments) = ([], [], [])
    switch kind {
    case .environment: extra = (["newest_day"], ["?"], [ReleaseLifetimes.never])
    case .device: extra = (["class"], ["?"], [DeviceClass.of(model: key.text).name])
    case .metric:
      extra = (
        ["id"], ["(SELECT max(\(StoredMetric.firstCustom), coalesce(max(id) + 1, 0)) FROM metric)"], []
      )
    case .release, .system, .attribute, .label, .client: break
    }
    let marks = columns.map { _ in "?" } + extra.values
    try database.cachedStatement(
      sql: """
        INSERT INTO \(table) (\((columns + extra.columns).joined(separator: ", ")))
        VALUES (\(marks.joined(separator: ", ")))
        """
    ).execute(
      arguments: [key.scope.app] + values(of: key) + [score.uses, score.day] + extra.arguments)
    return database.lastInsertedRowID
  }

  /// The number of names in a scope, without retired ones.
  func count(_ scope: NameScope) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM \(table) WHERE \(Self.condition(kind))"),
      arguments: Self.arguments(scope)) ?? 0
  }

  /// The names in a scope, without retired ones.
  func standing(_ scope: NameScope) throws -> [Standing] {
    try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, uses, used_day FROM \(table) WHERE \(Self.condition(kind))"),
      arguments: Self.arguments(scope)
    ).map { Standing(id: try $0.value(0), score: NameScore(uses: try $0.value(1), day: try $0.value(2))) }
  }

  func score(of id: Int64) throws -> NameScore? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT uses, used_day FROM \(table) WHERE id = ?"), arguments: [id]
    ).map { NameScore(uses: try $0.value(0), day: try $0.value(1)) }
  }

  func write(_ score: NameScore, of id: Int64) throws {
    try database.cachedStatement(sql: "UPDATE \(table) SET uses = ?, used_day = ? WHERE id = ?")
      .execute(arguments: [score.uses, score.day, id])
  }

  /// Whether a name was retired and became "(other)".
  func isRetired(_ id: Int64) throws -> Bool {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT retired FROM \(table) WHERE id = ?"), arguments: [id]) ?? 0 > 0
  }

  /// Renames a stored name to "(other)". Rows that refer to its id do not change.
  func retire(_ id: Int64, day: Int) throws {
    if kind == .client {
      return try database.cachedStatement(sql: "DELETE FROM client WHERE id = ?").execute(arguments: [id])
    }
    let build = kind == .release ? ", build = ''" : ""
    try database.cachedStatement(
      sql: "UPDATE \(table) SET \(text) = ?\(build), uses = 0, retired = ? WHERE id = ?"
    ).execute(arguments: [NameRegistry.other, max(1, day), id])
  }

  var table: String { kind.rawValue }

  private var text: String { Self.text(kind) }

  static func text(_ kind: NameKind) -> String {
    switch kind {
    case .release: "version"
    case .device: "model"
    case .attribute: "value"
    case .environment, .system, .metric, .label, .client: "name"
    }
  }

  /// The columns that identify a name within an app.
  private var identity: [String] {
    switch kind {
    case .release: ["version", "build"]
    case .device: ["model"]
    case .metric: ["name", "unit", "kind"]
    case .label: ["metric", "name"]
    case .attribute: ["name", "value"]
    case .environment, .system, .client: ["name"]
    }
  }

  private func values(of key: NameKey) -> StatementArguments {
    switch kind {
    case .release: [key.text, key.build]
    case .metric: [key.text, key.variant >> 1, key.variant & 1]
    case .label: [key.scope.metric, key.text]
    case .attribute: [key.scope.attribute, key.text]
    case .environment, .system, .device, .client: [key.text]
    }
  }

  private static func condition(_ kind: NameKind) -> String {
    let build = kind == .release ? " OR build <> ''" : ""
    let owner = kind == .label ? "AND metric = ? " : kind == .attribute ? "AND name = ? " : ""
    return "app = ? \(owner)AND retired = 0 "
      + "AND (\(text(kind)) <> '\(NameRegistry.other)'\(build))"
  }

  private static func arguments(_ scope: NameScope) -> StatementArguments {
    switch scope.kind {
    case .label: [scope.app, scope.metric]
    case .attribute: [scope.app, scope.attribute]
    case .environment, .release, .system, .device, .metric, .client: [scope.app]
    }
  }
}
