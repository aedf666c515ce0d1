import Telemetry

/// What one update did to a session.
struct SessionChange {
  /// Nil for a session nobody knew.
  let old: SessionState?
  let new: SessionState

  /// The session is heard of for the first time.
  var isFirst: Bool { old == nil }

  /// It is known from this update on that the session crashed. Once crashed it stays so: this happens once.
  var turnsCrashed: Bool { new.outcome == .crashed && old?.outcome != .crashed }

  /// The user of a crashed session who becomes known with this update.
  var crashedUser: UInt64? {
    guard new.outcome == .crashed, turnsCrashed || old?.user == nil else { return nil }
    return new.user
  }

  /// Whether burn rates have to know of it.
  var isNews: Bool { isFirst || turnsCrashed || crashedUser != nil }
}
