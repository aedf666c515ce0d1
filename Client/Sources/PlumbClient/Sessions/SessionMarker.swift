import Foundation

/// The state of the current session on disk, for the next launch.
struct SessionMarker: Codable, Equatable {
  enum State: String, Codable {
    /// The app was started but has not been in the foreground.
    case launching
    case foreground
    case background
    case ended
  }

  var id: String
  /// Nil if the clock was not set.
  var started: Int64?
  /// The number of the last update that was sent.
  var sequence: Int
  var state: State
  var errors: Int
  /// Seconds in the foreground.
  var duration: Double
  /// The release in which the session ran. The next launch may be another release.
  var origin: Origin
  /// The user of the session. The next launch may have another one.
  var installation: String?
  /// The boot of the device in which the session ran.
  var bootID: String?
  /// A debugger ends a process like the OS's memory limit.
  var isDebugged: Bool
  /// How long the main thread had not responded at the last check, in seconds; 0 if it responds.
  var hang: Double

  /// The session in the server's format, with the next sequence number.
  mutating func update(status: Status) -> NativeDocument.Session {
    sequence += 1
    return .init(id: id, started: started, status: status.rawValue, seq: sequence, duration: duration)
  }

  enum Status: String {
    case ok, exited, errored, abnormal, crashed
  }
}

/// The outcome of an earlier process's session, from the data that it left.
enum PreviousSession {
  /// Nil if the updates that were sent are complete. `signalled`: the process noted that a signal ended it.
  static func status(
    of marker: SessionMarker, signalled: Bool, origin: Origin, bootID: String?
  ) -> SessionMarker.Status? {
    switch marker.state {
    case .ended: return nil
    case .launching: return signalled ? .crashed : nil
    case .background, .foreground:
      if signalled { return .crashed }
      // In the background the OS may end apps at any time. The update was sent when the app went there.
      if marker.state == .background { return nil }
      let wasEndedByOthers =
        marker.isDebugged || marker.origin.version != origin.version || marker.origin.build != origin.build
        || marker.origin.system != origin.system || (bootID != nil && marker.bootID != nil && marker.bootID != bootID)
      // The memory limit, the watchdog, or a person who closed a frozen app. It is not a known fault and not a healthy
      // end.
      return wasEndedByOthers ? (marker.errors > 0 ? .errored : .exited) : .abnormal
    }
  }
}
