import Core
import GRDB
public import Ingest
public import Storage

/// Queries for counts of diagnostics by group.
struct GroupQueries {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The WHERE conditions of a query, on `diagnostic` joined with its `signature` and with the names of its `slice`.
  private struct Condition {
    var text: String
    var arguments: StatementArguments
    /// The joined tables, only those that the query needs: each costs time for every diagnostic.
    private(set) var tables: String

    /// `part`: the additional breakdown of each group's count, such as days.
    init(_ query: GroupQuery, by part: GroupPart? = nil) {
      var tables = """
        diagnostic JOIN signature ON signature.id = diagnostic.signature
        JOIN slice ON slice.id = diagnostic.cell JOIN environment ON environment.id = slice.environment
        """
      let isCombined = part == .member(of: .combination)
      if query.slice.release != nil || part == .member(of: .release) || isCombined {
        tables += " JOIN release ON release.id = slice.release"
      }
      if query.slice.os != nil || part == .member(of: .os) || isCombined { tables += " JOIN os ON os.id = slice.os" }
      if query.slice.device != nil || part == .member(of: .device) || isCombined {
        tables += " JOIN device ON device.id = slice.device"
      }
      if part == .member(of: .attribute) { tables += " \(SliceAttributes.values)" }
      if isCombined { tables += " \(SliceAttributes.join)" }
      self.tables = tables
      var text = "diagnostic.app = ? AND diagnostic.day BETWEEN ? AND ? AND environment.name = ?"
      var arguments: StatementArguments = [
        query.app, query.window.from.number, query.window.to.number, query.slice.environment,
      ]
      func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
        guard let value else { return }
        text += " AND " + condition
        arguments += [value]
      }
      if let release = query.slice.release {
        text += " AND " + ReleaseFilter.condition
        arguments += StatementArguments(ReleaseFilter(release).arguments)
      }
      if let os = query.slice.os.map(SystemCondition.init) {
        text += " AND " + os.text
        arguments += StatementArguments(os.arguments)
      }
      add("device.model = ?", query.slice.device.map(UnknownName.stored))
      add("slice.class = ?", query.slice.deviceClass)
      if let attribute = query.slice.attribute.map({ AttributeCondition($0, app: query.app) }) {
        text += " AND " + attribute.text
        arguments += attribute.arguments
      }
      if part == .member(of: .attribute) { add("attribute.name = ?", query.attribute ?? "") }
      add("diagnostic.kind = ?", query.kind.map { Int($0.rawValue) })
      add("signature.member = ?", query.group)
      self.text = text
      self.arguments = arguments
    }
  }

  /// All retired builds count as one "(other)", and so do all retired environments.
  private static let build = "iif(release.version = '\(NameRegistry.other)', 0, release.id)"
  private static let environment = "iif(environment.name = '\(NameRegistry.other)', 0, environment.id)"

  /// The text of a `CombinedMember`.
  private static let combination = """
    iif(os.name = '', '\(UnknownName.title)', os.name) || char(31)
      || iif(device.model = '', '\(UnknownName.title)', device.model) || char(31)
      || release.version || char(31) || release.build || char(31)
      || coalesce(\(SliceAttributes.names), '') || char(31) || coalesce(\(SliceAttributes.texts), '')
    """

  private static let columns = "g.id, g.fingerprint, g.kind, g.exception, g.place, g.binary, g.symbolic"

  func groups(_ query: GroupQuery) throws -> [GroupCount] {
    let condition = Condition(query)
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(Self.columns), c.diagnostics, c.sessions, c.without, c.users, c.first, c.last FROM (
          SELECT signature.member AS id, count(*) AS diagnostics, count(DISTINCT diagnostic.session) AS sessions,
            sum(diagnostic.session IS NULL) AS without, count(DISTINCT diagnostic.user) AS users,
            min(diagnostic.day) AS first, max(diagnostic.day) AS last
          FROM \(condition.tables) WHERE \(condition.text) GROUP BY signature.member
        ) AS c JOIN diagnostic_group AS g ON g.id = c.id
        """)
    return try Row.fetchAll(statement, arguments: condition.arguments).compactMap { row in
      try Self.group(row).map { group in
        GroupCount(
          group: group, diagnostics: try row.value(7), sessions: try row.value(8), withoutSession: try row.value(9),
          users: try row.value(10),
          firstDay: try row.day(11), lastDay: try row.day(12))
      }
    }
  }

  func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions {
    let condition = Condition(query)
    let alone = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT g.fingerprint, count(*) FROM (
            SELECT min(signature.member) AS id FROM \(condition.tables)
            WHERE \(condition.text) AND diagnostic.session IS NOT NULL
            GROUP BY diagnostic.session HAVING count(DISTINCT signature.member) = 1
          ) AS c JOIN diagnostic_group AS g ON g.id = c.id GROUP BY g.fingerprint
          """), arguments: condition.arguments)
    let marks = groups.map { _ in "?" }.joined(separator: ", ")
    let together = try Int.fetchOne(
      database,
      sql: """
        SELECT count(DISTINCT diagnostic.session) FROM \(condition.tables)
        WHERE \(condition.text) AND signature.member IN (
          SELECT id FROM diagnostic_group WHERE app = ? AND fingerprint IN (\(marks)))
        """,
      arguments: condition.arguments + [query.app]
        + StatementArguments(groups.map { Int64(bitPattern: $0) }))
    return GroupSessions(
      together: together ?? 0,
      alone: try alone.reduce(into: [:]) { found, row in
        found[UInt64(bitPattern: try row.value(0, as: Int64.self))] = try row.value(1, as: Int.self)
      })
  }

  func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup? {
    let table = SQLiteGroupTables(database)
    guard let id = try table.groupID(of: fingerprint, app: app) else { return nil }
    return try Row.fetchOne(
      database, sql: "SELECT \(Self.columns) FROM diagnostic_group AS g WHERE g.id = ?",
      arguments: [try table.lastSuccessor(of: id)]
    ).flatMap { try Self.group($0) }
  }

  func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount] {
    let condition = Condition(query, by: part)
    let names = part == .member(of: .release) ? "min(release.version), min(release.build)" : "'', ''"
    let column =
      switch part {
      case .day: "diagnostic.day"
      case .hangRule: "coalesce(CAST(diagnostic.hang_rule AS TEXT), '')"
      case .member(of: .release): Self.build
      case .member(.os): "os.name"
      case .member(.device): "device.model"
      case .member(.deviceClass): "slice.class"
      case .member(.attribute): "attribute.value"
      case .member(.combination): Self.combination
      }
    let distinct =
      query.group == nil
      ? "NULL, NULL, NULL"
      : "count(DISTINCT diagnostic.session), count(DISTINCT diagnostic.user), count(diagnostic.user)"
    let statement = try database.cachedStatement(
      sql: """
        SELECT signature.member, \(column), count(*), \(names), \(distinct) FROM \(condition.tables)
        WHERE \(condition.text) GROUP BY 1, 2 ORDER BY 1, 2
        """)
    return try Row.fetchAll(statement, arguments: condition.arguments).map { row in
      let name: String
      switch part {
      case .day: name = try row.day(1).iso
      case .hangRule: name = try row.value(1)
      case .member(of: .release): name = Release(version: try row.value(3), build: try row.value(4)).title
      case .member: name = UnknownName.title(of: try row.value(1))
      }
      return GroupPartCount(
        group: try row.value(0), part: name, diagnostics: try row.value(2), sessions: try row.value(5),
        users: try row.value(6), withUser: try row.value(7))
    }
  }

  func reportsByAge(_ query: GroupQuery, sample: Int) throws -> [ReportsByAge] {
    let condition = Condition(query)
    let statement = try database.cachedStatement(
      sql: """
        SELECT build.version, build.build, c.class, c.source, c.day, c.age, c.reports FROM (
          SELECT coalesce(own.release, slice.release) AS release, coalesce(own.class, slice.class) AS class,
            diagnostic.source, coalesce(session.minute / 1440, diagnostic.day) AS day, session.age, count(*) AS reports
          FROM \(condition.tables)
          LEFT JOIN session ON session.app = diagnostic.app AND session.sid = diagnostic.session
          LEFT JOIN slice AS own ON own.id = session.cell
          WHERE \(condition.text) AND diagnostic.identity & ? = 0 GROUP BY 1, 2, 3, 4, 5
        ) AS c JOIN release AS build ON build.id = c.release ORDER BY 1, 2, 3, 4, 5, 6
        """)
    // Identities are hashes, so that their lowest bits are random.
    return try Row.fetchAll(statement, arguments: condition.arguments + [sample - 1]).map { row in
      guard let source = Source(rawValue: try row.value(3)) else {
        throw StoreError.damaged("invalid source in the table diagnostic")
      }
      return ReportsByAge(
        release: Release(version: try row.value(0), build: try row.value(1)), deviceClass: try row.value(2),
        source: source, day: try row.day(4), age: try row.value(5, as: UInt8?.self).flatMap(UpdateAge.init),
        reports: try row.value(6))
    }
  }

  /// The quantity and user of a diagnostic; nil if it is not part of the query.
  func diagnostic(_ query: GroupQuery, identity: UInt64) throws -> (quantity: Double?, user: UInt64?)? {
    let condition = Condition(query)
    let statement = try database.cachedStatement(
      sql: """
        SELECT diagnostic.quantity, diagnostic.user FROM \(condition.tables)
        WHERE \(condition.text) AND diagnostic.identity = ? LIMIT 1
        """)
    return try Row.fetchOne(statement, arguments: condition.arguments + [Int64(bitPattern: identity)]).map { row in
      (try row.value(0), try row.value(1, as: Int64?.self).map { UInt64(bitPattern: $0) })
    }
  }

  func lifetimes(of app: AppID, group: Int64?) throws -> [GroupLifetime] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT signature.member, environment.name, release.version, release.build, min(signature_life.first_day),
          max(signature_life.last_day), sum(signature_life.count)
        FROM signature JOIN signature_life ON signature_life.signature = signature.id
        JOIN environment ON environment.id = signature_life.environment
        JOIN release ON release.id = signature_life.release
        WHERE signature.app = :app AND (:group IS NULL OR signature.member = :group)
        GROUP BY signature.member, \(Self.environment), \(Self.build)
        """)
    return try Row.fetchAll(statement, arguments: ["app": app, "group": group]).map { row in
      GroupLifetime(
        group: try row.value(0), environment: try row.value(1),
        release: Release(version: try row.value(2), build: try row.value(3)),
        firstDay: try row.day(4), lastDay: try row.day(5), diagnostics: try row.value(6))
    }
  }

  func successors(of app: AppID) throws -> [UInt64: UInt64] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT id, fingerprint FROM diagnostic_group WHERE app = ? AND successor IS NOT NULL",
      arguments: [app])
    let table = SQLiteGroupTables(database)
    return try rows.reduce(into: [:]) { found, row in
      let last = try table.group(table.lastSuccessor(of: try row.value(0)))
      if let last { found[UInt64(bitPattern: try row.value(1))] = last.fingerprint }
    }
  }

  func images(of app: AppID) throws -> [StoredImage] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT release.version, release.build, image.uuid, image.name,
          image.own OR EXISTS (SELECT 1 FROM own_binary WHERE own_binary.app = image.app AND own_binary.name = image.name),
          image.seen
        FROM image JOIN release ON release.id = image.release WHERE image.app = ?
        ORDER BY image.release DESC, image.own DESC, image.seen DESC, image.name, image.uuid
        """, arguments: [app]
    ).map { row in
      StoredImage(
        release: Release(version: try row.value(0), build: try row.value(1)), uuid: try row.value(2),
        name: try row.value(3), isOwn: try row.value(4),
        diagnostics: try row.value(5))
    }
  }

  /// The hash of the signature with the most diagnostics; nil without signatures.
  func mostFrequentSignature(of group: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT signature.hash FROM signature JOIN signature_life ON signature_life.signature = signature.id
        WHERE signature.member = ? GROUP BY signature.id ORDER BY sum(signature_life.count) DESC, signature.hash DESC
        LIMIT 1
        """, arguments: [group])
  }

  /// The hashes of the signatures of a group's newest diagnostics, at most `limit`.
  func recentSignatures(of group: Int64, limit: Int) throws -> [Int64] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT hash FROM signature WHERE member = ?
        ORDER BY (SELECT max(id) FROM diagnostic WHERE diagnostic.signature = signature.id) DESC LIMIT ?
        """, arguments: [group, limit])
  }

  /// The hashes of a group's signatures, at most `limit`.
  func signatureHashes(of group: Int64, limit: Int) throws -> [Int64] {
    try Int64.fetchAll(
      database, sql: "SELECT hash FROM signature WHERE member = ? LIMIT ?", arguments: [group, limit])
  }

  /// The newest diagnostic with this identity.
  func number(ofIdentity identity: UInt64, app: AppID) throws -> Int64? {
    try Int64.fetchOne(
      database, sql: "SELECT max(id) FROM diagnostic WHERE app = ? AND identity = ?",
      arguments: [app, Int64(bitPattern: identity)])
  }

  private static func group(_ row: Row) throws -> StoredGroup? {
    guard let kind = DiagnosticKind(rawValue: try row.value(2)) else { return nil }
    return StoredGroup(
      id: try row.value(0), fingerprint: UInt64(bitPattern: try row.value(1)), kind: kind, exception: try row.value(3),
      place: try row.value(4),
      binary: try row.value(5), isSymbolic: try row.value(6))
  }
}

extension SQLiteStore: GroupStore {
  public func groups(_ query: GroupQuery) throws -> [GroupCount] {
    try read { try GroupQueries($0).groups(query) }
  }

  public func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions {
    try read { try GroupQueries($0).sessions(query, of: groups) }
  }

  public func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup? {
    try read { try GroupQueries($0).group(of: app, fingerprint: fingerprint) }
  }

  public func lifetimes(of app: AppID, group: Int64?) throws -> [GroupLifetime] {
    try read { try GroupQueries($0).lifetimes(of: app, group: group) }
  }

  public func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount] {
    try read { try GroupQueries($0).counts(query, by: part) }
  }

  public func reportsByAge(_ query: GroupQuery, sample: Int) throws -> [ReportsByAge] {
    try read { try GroupQueries($0).reportsByAge(query, sample: sample) }
  }

  public func successors(of app: AppID) throws -> [UInt64: UInt64] {
    try read { try GroupQueries($0).successors(of: app) }
  }

  public func images(of app: AppID) throws -> [StoredImage] {
    try read { try GroupQueries($0).images(of: app) }
  }
}

extension SQLiteStore: GroupTransactions {
  public func readGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value {
    try retryingAfterQuarantine { try pool.read { try body(SQLiteGroupTables($0)) } }
  }

  public func writeGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value {
    try retryingAfterQuarantine { try writeRows { try body(SQLiteGroupTables($0)) } }
  }
}
