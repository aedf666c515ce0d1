import Foundation

/// What stands on the disk of the session that runs, for the next launch to read.
struct SessionMarker: Codable, Equatable {
  enum State: String, Codable {
    /// The app was started, and no person has seen it yet.
    case launching
    case foreground
    case background
    case ended
  }

  var id: String
  /// Nil where the clock was not set.
  var started: Int64?
  /// The number of the last update that was sent.
  var sequence: Int
  var state: State
  var errors: Int
  /// Seconds in the foreground.
  var duration: Double
  /// Which release it ran in: the next launch may be another.
  var origin: Origin
  /// Which start of the device it ran in.
  var bootID: String?
  /// A debugger ends a process as the system's memory limit does.
  var isDebugged: Bool
  /// Seconds for which the main thread had not answered when it was last looked at; 0 while it answers.
  var hang: Double

  /// The session as the server takes it, with the next number.
  mutating func update(status: Status) -> NativeDocument.Session {
    sequence += 1
    return .init(id: id, started: started, status: status.rawValue, seq: sequence, duration: duration)
  }

  enum Status: String {
    case ok, exited, errored, abnormal, crashed
  }
}

/// How the session of an earlier process ended, from what it left.
enum PreviousSession {
  /// Nil if there is nothing to add to what was sent. `signalled`: its process wrote that a signal ended it.
  static func status(
    of marker: SessionMarker, signalled: Bool, origin: Origin, bootID: String?
  ) -> SessionMarker.Status? {
    switch marker.state {
    case .ended: return nil
    case .launching: return signalled ? .crashed : nil
    case .background, .foreground:
      if signalled { return .crashed }
      // In the background the system ends apps as it likes. That update was sent when it went there.
      if marker.state == .background { return nil }
      let wasEndedByOthers =
        marker.isDebugged || marker.origin.version != origin.version || marker.origin.build != origin.build
        || marker.origin.system != origin.system || (bootID != nil && marker.bootID != nil && marker.bootID != bootID)
      // Memory limit, watchdog, or a person who closed a frozen app: no fault that is known, and not a healthy end.
      return wasEndedByOthers ? (marker.errors > 0 ? .errored : .exited) : .abnormal
    }
  }
}
