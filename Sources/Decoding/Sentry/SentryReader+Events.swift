internal import JSON
internal import Telemetry

extension SentryReader {
  /// An `event` item: a crash, a hang or an error. A message without an exception below the level of an error is none.
  mutating func readEvent(_ event: JSONObject) throws {
    let exceptions = SentryExceptions(event)
    let ownID = event.text("event_id").flatMap { SentryEventID($0) }
    eventID = eventID ?? ownID
    guard let kind = exceptions.kind(level: event.text("level")) else { return }
    try load.add(.diagnostics, at: event.value)
    let time = event["timestamp"].flatMap { clock.instant($0) }
    if time == nil { assumedTimes += 1 }
    let diagnostic = Diagnostic(
      kind: kind, time: .instant(time ?? context.received),
      identity: (ownID ?? eventID)?.identity ?? event.value.contentHash(),
      exception: exceptions.facts(keepsText: context.keepsExceptionText), quantity: exceptions.quantity(of: kind),
      user: Self.user(of: event),
      calls: SentryCalls.tree(of: event, exceptions, load),
      body: SentryEventBody.write(event, keepsText: context.keepsExceptionText))
    diagnostics.append((Self.origin(of: event), diagnostic))
  }

  /// What clients call a session's user too: the id, else the address or name they were given.
  private static func user(of event: JSONObject) -> String? {
    guard let user = event.object("user") else { return nil }
    if let id = user["id"], id.kind != .string { return user.name("id") }
    return Self.user(user.text("id")) ?? user.id("email") ?? user.id("username")
  }

  private static func origin(of event: JSONObject) -> SentryOrigin {
    let contexts = event.object("contexts")
    let app = contexts?.object("app")
    let name = SentryRelease(
      event.text("release")?.kept ?? app?.text("app_version")?.kept ?? "",
      dist: event.text("dist")?.kept ?? app?.text("app_build")?.kept ?? "")
    return SentryOrigin(
      bundleID: name.package ?? app?.text("app_identifier")?.kept, release: name.release,
      environment: environment(event.text("environment")), device: device(contexts))
  }

  private static func device(_ contexts: JSONObject?) -> Device {
    let device = contexts?.object("device")
    let models = [device?.text("model")?.kept, device?.text("model_id")?.kept]
    let system = contexts?.object("os")
    let name = system?.text("name")?.kept ?? ""
    return Device(
      model: models.compactMap { $0 }.first { !$0.isEmpty } ?? "",
      system: OperatingSystem(
        name: name == "iPhone OS" ? "iOS" : name, version: system?.text("version")?.kept ?? "",
        build: system?.text("build")?.kept ?? ""))
  }
}
