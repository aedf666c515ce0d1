import GRDB
import Storage
import Telemetry

/// Strings ↔ ids of one store, and the caps on how many of each an app may have.
struct Interner {
  private var environments: [Name: Int64] = [:]
  private var releases: [ReleaseName: Int64] = [:]
  private var systems: [Name: Int64] = [:]
  private var devices: [Name: Int64] = [:]
  private var metrics: [MetricName: Int64] = [:]
  private var labels: [LabelName: Int64] = [:]
  private var slices: [SliceKey: Int64] = [:]
  var keys: [Int64: SliceKey] = [:]
  /// What went to "(other)" since it was last asked, by app and kind of string.
  private(set) var capped: [Capped: Int] = [:]
  /// Names remembered as "(other)". A client that makes up names without end must not fill the memory with them.
  private var strays = 0

  struct Name: Hashable {
    let app: AppID
    let text: String
  }

  private struct ReleaseName: Hashable {
    let app: AppID
    let release: Release
  }

  private struct MetricName: Hashable {
    let app: AppID
    let metric: MetricReference
  }

  private struct LabelName: Hashable {
    let app: AppID
    let metric: Int64
    let text: String
  }

  struct Capped: Hashable {
    let app: AppID
    let kind: String
  }

  static let other = "(other)"
  private static let mostStrays = 5_000

  /// How many different ones an app may have.
  private enum Cap {
    static let environments = 20
    static let releases = 500
    static let systems = 200
    static let devices = 1000
    static let metrics = 200
    static let labels = 200
  }

  mutating func takeCapped() -> [Capped: Int] {
    let taken = capped
    capped = [:]
    strays += taken.values.reduce(0, +)
    // Everything is in the database: what is forgotten here is found again there.
    if strays > Self.mostStrays { self = Interner() }
    return taken
  }

  mutating func environment(_ text: String, app: AppID, in database: Database) throws -> Int64 {
    let name = Name(app: app, text: text)
    if let known = environments[name] { return known }
    let table = InternTable(
      find: "SELECT id FROM environment WHERE app = ? AND name = ?",
      count: "SELECT count(*) FROM environment WHERE app = ?",
      insert: "INSERT INTO environment (app, name, newest_day) VALUES (?, ?, \(ReleaseLives.never))")
    let id = try table.id([app, text], other: [app, Self.other], cap: Cap.environments, countOf: [app], in: database) {
      capped[Capped(app: app, kind: "environment"), default: 0] += 1
    }
    environments[name] = id
    return id
  }

  mutating func release(_ release: Release, app: AppID, in database: Database) throws -> Int64 {
    let name = ReleaseName(app: app, release: release)
    if let known = releases[name] { return known }
    let table = InternTable(
      find: "SELECT id FROM release WHERE app = ? AND version = ? AND build = ?",
      count: "SELECT count(*) FROM release WHERE app = ?",
      insert: "INSERT INTO release (app, version, build) VALUES (?, ?, ?)")
    let id = try table.id(
      [app, release.version, release.build], other: [app, Self.other, ""], cap: Cap.releases, countOf: [app],
      in: database
    ) { capped[Capped(app: app, kind: "release"), default: 0] += 1 }
    releases[name] = id
    return id
  }

  mutating func system(_ text: String, app: AppID, in database: Database) throws -> Int64 {
    let name = Name(app: app, text: text)
    if let known = systems[name] { return known }
    let table = InternTable(
      find: "SELECT id FROM os WHERE app = ? AND name = ?", count: "SELECT count(*) FROM os WHERE app = ?",
      insert: "INSERT INTO os (app, name) VALUES (?, ?)")
    let id = try table.id([app, text], other: [app, Self.other], cap: Cap.systems, countOf: [app], in: database) {
      capped[Capped(app: app, kind: "os"), default: 0] += 1
    }
    systems[name] = id
    return id
  }

  mutating func device(_ model: String, app: AppID, in database: Database) throws -> Int64 {
    let name = Name(app: app, text: model)
    if let known = devices[name] { return known }
    let kind = DeviceClass.of(model: model).name
    let table = InternTable(
      find: "SELECT id FROM device WHERE app = ? AND model = ?",
      count: "SELECT count(*) FROM device WHERE app = ?",
      insert: "INSERT INTO device (app, model, class) VALUES (?, ?, ?)")
    let id = try table.id(
      [app, model], extra: [kind], other: [app, Self.other], cap: Cap.devices, countOf: [app], in: database
    ) { capped[Capped(app: app, kind: "device"), default: 0] += 1 }
    devices[name] = id
    return id
  }

  /// A metric's id: its catalogue number, or one above all of them.
  mutating func metric(_ metric: MetricReference, app: AppID, in database: Database) throws -> Int64 {
    guard case .custom(let text, let unit, let kind) = metric else {
      if case .known(let number) = metric { return Int64(number) }
      return 0
    }
    let name = MetricName(app: app, metric: metric)
    if let known = metrics[name] { return known }
    let kindNumber = kind == .distribution ? 0 : 1
    let table = InternTable(
      find: "SELECT id FROM metric WHERE app = ? AND name = ? AND unit = ? AND kind = ?",
      count: "SELECT count(*) FROM metric WHERE app = ?",
      insert: """
        INSERT INTO metric (id, app, name, unit, kind)
        VALUES ((SELECT max(\(StoredMetric.firstCustom), coalesce(max(id) + 1, 0)) FROM metric), ?, ?, ?, ?)
        """)
    let id = try table.id(
      [app, text, Int(unit.rawValue), kindNumber], other: [app, Self.other, Int(unit.rawValue), kindNumber],
      cap: Cap.metrics, countOf: [app], in: database
    ) { capped[Capped(app: app, kind: "metric"), default: 0] += 1 }
    metrics[name] = id
    return id
  }

  /// A label's id; 0 for none.
  mutating func label(_ text: String, metric: Int64, app: AppID, in database: Database) throws -> Int64 {
    if text.isEmpty { return 0 }
    let name = LabelName(app: app, metric: metric, text: text)
    if let known = labels[name] { return known }
    let table = InternTable(
      find: "SELECT id FROM label WHERE app = ? AND metric = ? AND name = ?",
      count: "SELECT count(*) FROM label WHERE app = ? AND metric = ?",
      insert: "INSERT INTO label (app, metric, name) VALUES (?, ?, ?)")
    let id = try table.id(
      [app, metric, text], other: [app, metric, Self.other], cap: Cap.labels, countOf: [app, metric], in: database
    ) { capped[Capped(app: app, kind: "label"), default: 0] += 1 }
    labels[name] = id
    return id
  }

  mutating func slice(_ key: SliceKey, in database: Database) throws -> Int64 {
    if let known = slices[key] { return known }
    let arguments: StatementArguments = [
      key.app, key.environment, key.kind.rawValue, key.release, key.system, key.device, key.deviceClass,
    ]
    let found = try Int64.fetchOne(
      try database.cachedStatement(
        sql: """
          SELECT id FROM slice WHERE app = ? AND environment = ? AND kind = ? AND release = ? AND os = ?
          AND device = ? AND class = ?
          """), arguments: arguments)
    let id: Int64
    if let found {
      id = found
    } else {
      try database.cachedStatement(
        sql: """
          INSERT INTO slice (app, environment, kind, release, os, device, class) VALUES (?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: arguments)
      id = database.lastInsertedRowID
    }
    slices[key] = id
    return id
  }
}
