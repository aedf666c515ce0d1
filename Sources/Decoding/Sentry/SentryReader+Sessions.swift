internal import JSON
internal import Telemetry

extension SentryReader {
  /// A `session` item: the state of one session. `started` is required; without a `sid` it is known by the envelope.
  mutating func readSession(_ session: JSONObject, of item: EnvelopeItem) throws {
    try load.add(.sessions, at: session.value)
    let started = try clock.time(session.required("started"))
    let id = try session["sid"].flatMap { Self.id(try $0.text()) }
    if let id { sessionIDs.insert(id) }
    let update = SessionUpdate(
      id: id ?? "\(contentName)/\(item.index)", outcome: try Self.outcome(session), started: started,
      sequence: try session["seq"].map { Int64(try $0.integer()) },
      updated: session["timestamp"].flatMap { clock.instant($0) }, user: Self.user(session.text("did")),
      duration: session.number("duration"))
    sessions.append((origin(session.object("attrs")), update))
  }

  /// The release and environment that a session's attributes name.
  func origin(_ attributes: JSONObject?) -> SentryOrigin {
    let name = SentryRelease(attributes?.text("release")?.kept ?? "")
    return SentryOrigin(
      bundleID: name.package, release: name.release, environment: Self.environment(attributes?.text("environment")))
  }

  static func environment(_ text: JSONText?) -> String {
    guard let text, text.count > 0 else { return "production" }
    return text.kept
  }

  /// The user; nil for the UUID of zeros, which stands for nobody.
  static func user(_ text: JSONText?) -> String? {
    guard let text, text.bytes.contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    return text.id
  }

  /// Clients spell UUIDs in both cases, with and without dashes: a session has one id all the same.
  private static func id(_ text: JSONText) -> String? {
    let bytes = text.bytes.filter { $0 != UInt8(ascii: "-") }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self).lowercased().id
  }

  /// A status that nobody knows says nothing bad. A session that goes on or ended well, and saw errors, is errored.
  private static func outcome(_ session: JSONObject) throws -> SessionOutcome {
    switch try session["status"]?.text() {
    case .some("crashed"): return .crashed
    case .some("abnormal"): return .abnormal
    case .some("unhandled"): return .unhandled
    case .some("errored"): return .errored
    default: return try (session["errors"]?.number() ?? 0) > 0 ? .errored : .healthy
    }
  }
}
