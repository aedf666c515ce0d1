import Health
import JSON
public import Storage
public import Telemetry

/// The model of the alerts page: open and past incidents, each with its app.
public struct AlertList: Sendable {
  /// The bundle identifier; nil for all apps.
  public var app: String?
  /// Open incidents: critical ones before others, then the newest first.
  public var open: [Entry]
  /// Incidents that ended in the last 90 days, the newest first; at most 200.
  public var past: [Entry]
  /// The silences of one app that have not ended; empty for all apps.
  public var silences: [Silence] = []
  public var asOf: Timestamp

  public init(app: String?, open: [Entry], past: [Entry], asOf: Timestamp) {
    self.app = app
    self.open = open
    self.past = past
    self.asOf = asOf
  }

  /// An incident and its app; `app` is nil for incidents that concern all apps.
  public struct Entry: Sendable {
    public var app: String?
    public var incident: Incident

    public init(app: String?, incident: Incident) {
      self.app = app
      self.incident = incident
    }
  }

  private static func worstFirst(_ entries: [Entry]) -> [Entry] {
    let order = { (entry: Entry) in Incident.Severity.allCases.firstIndex(of: entry.incident.severity) ?? 0 }
    return entries.enumerated().sorted { (-order($0.element), $0.offset) < (-order($1.element), $1.offset) }
      .map(\.element)
  }

  /// The age up to which past incidents are shown, in milliseconds.
  private static let memory: Int64 = 90 * 86_400_000
  private static let most = 200

  /// Reads the incidents of `app`, or of all apps if it is nil. Both include those that concern all apps.
  static func read(_ source: PageSource, app: App?) throws -> AlertList {
    let since = Timestamp(milliseconds: source.now.milliseconds - memory)
    let names = Dictionary(try source.apps().map { ($0.id, $0.bundleID) }) { first, _ in first }
    let found = try source.incidents(since).filter { app == nil || $0.app == app?.id || $0.app == Incident.folder }
    let entries = found.map { Entry(app: names[$0.app], incident: $0) }
    var list = AlertList(
      app: app?.bundleID, open: worstFirst(entries.filter { $0.incident.closed == nil }),
      past: Array(entries.filter { $0.incident.closed != nil }.prefix(most)), asOf: source.now)
    if let app { list.silences = try source.silences(app) }
    return list
  }
}

extension PageSource {
  /// The JSON of an app's silences that have not ended, with those of all apps; nil if there is no such app.
  public func silences(ofApp bundleID: String) throws -> [UInt8]? {
    guard let app = try app(bundleID) else { return nil }
    let list = try silences(app).map { silence in
      JSONOutput.object([
        ("number", .integer(silence.id)), ("every_app", .bool(silence.app == nil)),
        ("release", .optional(silence.release)), ("rule", .optional(silence.rule)),
        ("starts", .string(silence.starts.iso)), ("ends", .string(silence.ends.iso)),
        ("reason", .string(silence.reason)),
      ])
    }
    let text = JSONOutput.object([("schema", .count(HealthReport.schema)), ("silences", .array(list))])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension AlertList {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .optional(app)),
      ("open", .array(open.map { $0.incident.json(app: $0.app) })),
      ("past", .array(past.map { $0.incident.json(app: $0.app) })),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}
