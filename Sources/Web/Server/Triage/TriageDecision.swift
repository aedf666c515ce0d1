import Analysis
import Core
import Ingest
import Storage

/// A decision about an app by an authorised client.
struct TriageDecision {
  let backend: any ServerBackend
  let actor: Actor
  let app: App
  let fields: TriageFields
  let now: Timestamp

  /// Stores the decision about the group or silence `name`, and returns the page to show; nil if there is no such
  /// group, silence or incident. Throws `InvalidQuery` for invalid fields.
  func store(_ subject: TriageRoutes.Subject, named name: String) throws -> Page? {
    switch subject {
    case .group: return try decide(group: name)
    case .newSilence: return try addSilence()
    case .silence: return try Int64(name).flatMap(endSilence)
    }
  }

  private var control: any ControlStore { backend.control.acting(as: actor) }

  private func decide(group name: String) throws -> Page? {
    let isNoted = fields.text("owner") != nil || fields.text("note") != nil
    // The state is required, unless only the owner or note changes.
    let state = try isNoted && fields["state"] == nil ? nil : state()
    let groups = try backend.groups(of: app)
    guard let found = try groups.noted(app, named: name) else { return nil }
    let note = try isNoted ? note(found.note) : nil
    if let state {
      try control.decide(GroupDecision(state, changed: now), of: app.id, group: found.fingerprint)
    }
    if let note { try control.setNote(note, of: app.id, group: found.fingerprint, replacing: found.predecessors) }
    return Page.group(app: app.bundleID, id: Fingerprint.name(of: found.fingerprint))
  }

  /// The new note. A missing field keeps its old value; an empty field removes it.
  private func note(_ old: GroupNote?) throws -> GroupNote {
    do {
      return try GroupNote(
        typedOwner: fields.text("owner") ?? old?.owner ?? "", text: fields.text("note") ?? old?.text ?? "", changed: now
      )
    } catch {
      throw InvalidQuery(detail: "\(error)", parameter: nil)
    }
  }

  private func state() throws -> GroupDecision.State {
    switch fields["state"] {
    case "open": return .open
    case "ignored": return .ignored
    case "resolved":
      guard let text = fields["release"] else {
        throw InvalidQuery(detail: "release: expected the release with the fix, found no value", parameter: "release")
      }
      return .resolved(release: try backend.groups(of: app).release(typed: text, of: app, now: now))
    default:
      throw InvalidQuery(detail: "state: expected open, resolved or ignored, or an owner or note", parameter: "state")
    }
  }

  /// The longest silence, in hours: 90 days.
  private static let longest = 90 * 24

  private func addSilence() throws -> Page? {
    // An incident of another app counts as unknown.
    if let incident = fields["incident"], try control.incident(incident)?.app != app.id { return nil }
    guard let hours = fields["hours"].flatMap({ Int64(decimal: $0) }), (1...Int64(Self.longest)).contains(hours) else {
      throw InvalidQuery(detail: "hours: expected a whole number from 1 to \(Self.longest)", parameter: "hours")
    }
    guard let reason = fields["reason"] else {
      throw InvalidQuery(detail: "reason: expected the reason for the silence, found no value", parameter: "reason")
    }
    _ = try control.addSilence(
      Silence(
        app: app.id, release: fields["release"].map { SanitizedText.name($0) },
        rule: fields["rule"].map { SanitizedText.name($0) }, incident: fields["incident"],
        starts: now, ends: Timestamp(milliseconds: now.milliseconds + hours * 3_600_000),
        reason: SanitizedText.name(reason, atMost: 500), created: now))
    return Page.alerts(app: app.bundleID)
  }

  private func endSilence(_ number: Int64) throws -> Page? {
    // A silence of all apps or of another app counts as unknown.
    guard try control.silences(at: now).contains(where: { $0.id == number && $0.app == app.id }) else { return nil }
    try control.removeSilence(number)
    return Page.alerts(app: app.bundleID)
  }
}
