import CSignalMarker
import Foundation

/// Records sessions. A session begins when the app enters the foreground and ends after 30 seconds in the background.
/// All methods are called on the client's queue.
final class SessionRecorder {
  /// The seconds in the background after which a new session begins.
  static let pause: TimeInterval = 30

  private let marker: URL
  private let signal: URL
  private let payloads: PayloadQueue
  private let origin: Origin
  private var installation: String?
  private let clock: ClientClock

  private(set) var current: SessionMarker
  /// The uptime at which the foreground or background state began.
  private var since: TimeInterval
  /// Called when a session ended without notice, with the seconds for which the main thread had not responded.
  var onHangAtEnd: ((Double) -> Void)?

  /// `folder`: contains the marker and the signal handler's file.
  init(folder: URL, payloads: PayloadQueue, origin: Origin, installation: String?, clock: ClientClock) {
    marker = folder.appendingPathComponent("session.json")
    signal = folder.appendingPathComponent("signal")
    self.payloads = payloads
    self.origin = origin
    self.installation = installation
    self.clock = clock
    since = clock.uptime()
    current = Self.new(origin, installation, clock)
  }

  /// Reports how the previous process's session ended, and writes the first marker. `handlesSignals`: whether the next
  /// process can learn of a fault in this one.
  func start(handlesSignals: Bool) {
    reportPrevious()
    write()
    if handlesSignals {
      _ = signal_marker_install(signal.path)
    } else {
      try? FileManager.default.removeItem(at: signal)
    }
  }

  /// Notes that the app is in the foreground.
  func enterForeground() {
    let now = clock.uptime()
    switch current.state {
    case .foreground: return
    case .launching, .background:
      // The OS also starts apps that no person opened, long before one does.
      if now - since > Self.pause { current = Self.new(origin, installation, clock) }
    case .ended: current = Self.new(origin, installation, clock)
    }
    let isNew = current.sequence < 0
    current.state = .foreground
    since = now
    if isNew { send(current.update(status: current.errors > 0 ? .errored : .ok), of: current) }
    write()
  }

  /// Notes that the app is in the background. It may not return.
  func enterBackground() { leave(for: .background) }

  /// Notes that the app ends normally.
  func endSession() { leave(for: .ended) }

  /// Notes an error that the app handled.
  func recordError() {
    current.errors = min(current.errors + 1, 1_000_000)
    write()
  }

  /// Notes how long the main thread has not responded, in seconds; 0 if it responds again.
  func note(hang: Double) {
    guard current.hang != hang else { return }
    current.hang = hang
    write()
  }

  /// Sets the user. A session of another user ends, and a new one begins if the app is in the foreground.
  func set(installation: String?) {
    guard installation != self.installation else { return }
    self.installation = installation
    guard current.sequence >= 0 else {
      current.installation = installation
      return write()
    }
    let isInForeground = current.state == .foreground
    endSession()
    if isInForeground { enterForeground() }
  }

  /// Forgets the session. If the marker and the signal handler's file are deleted afterwards, a signal writes into a file
  /// without a name, and nothing is reported.
  func forget() {
    current = Self.new(origin, installation, clock)
    since = clock.uptime()
  }

  private func leave(for state: SessionMarker.State) {
    guard current.state == .foreground else {
      if state == .ended { current.state = .ended }
      write()
      return
    }
    let now = clock.uptime()
    current.duration += now - since
    current.state = state
    current.hang = 0
    since = now
    send(current.update(status: current.errors > 0 ? .errored : .exited), of: current)
    write()
  }

  private func reportPrevious() {
    // A missing or damaged marker contains no information. A session without information is not reported.
    guard let data = try? Data(contentsOf: marker),
      var previous = try? JSONDecoder().decode(SessionMarker.self, from: data)
    else { return }
    let written = (try? Data(contentsOf: signal))?.count ?? 0
    let status = PreviousSession.status(
      of: previous, signalled: written > 0, origin: origin, bootID: DeviceIdentity.bootID)
    guard let status else { return }
    send(previous.update(status: status), of: previous)
    if status == .abnormal, previous.hang > 0 { onHangAtEnd?(previous.hang) }
  }

  /// The server identifies a session by its id and keeps the update with the highest number. A session that is sent
  /// again after a kill therefore counts once.
  private func send(_ session: NativeDocument.Session, of marker: SessionMarker) {
    var document = NativeDocument(marker.origin, installation: marker.installation ?? installation)
    document.sessions = [session]
    guard let data = try? document.encoded() else { return payloads.count(.value) }
    payloads.add(data, .sessions)
  }

  private func write() {
    do {
      try JSONEncoder().encode(current).write(to: marker, options: .atomic)
    } catch {
      // If two files disagreed, the older one could report a running session as a crash.
      try? FileManager.default.removeItem(at: marker)
      payloads.count(.disk)
    }
  }

  private static func new(_ origin: Origin, _ installation: String?, _ clock: ClientClock) -> SessionMarker {
    let now = clock.now()
    return SessionMarker(
      id: UUID().uuidString.lowercased(), started: now.isPlausible ? now.milliseconds : nil, sequence: -1,
      state: .launching, errors: 0, duration: 0, origin: origin, installation: installation,
      bootID: DeviceIdentity.bootID, isDebugged: DeviceIdentity.isDebugged, hang: 0)
  }
}
