import CSignalMarker
import Foundation

/// Sessions: one begins when the app comes to the foreground and ends when it was in the background for 30 seconds. All
/// methods are called on the client's queue.
final class SessionRecorder {
  /// Seconds in the background after which a new session begins.
  static let pause: TimeInterval = 30

  private let marker: URL
  private let signal: URL
  private let payloads: PayloadQueue
  private let origin: Origin
  private let installation: String?
  private let clock: ClientClock

  private(set) var current: SessionMarker
  /// Uptime at which the foreground, or the background, began.
  private var since: TimeInterval
  /// Called where a session ended without a word, with the seconds for which the main thread had not answered.
  var onHangAtEnd: ((Double) -> Void)?

  /// `folder`: for the marker and the file of the signal handler.
  init(folder: URL, payloads: PayloadQueue, origin: Origin, installation: String?, clock: ClientClock) {
    marker = folder.appendingPathComponent("session.json")
    signal = folder.appendingPathComponent("signal")
    self.payloads = payloads
    self.origin = origin
    self.installation = installation
    self.clock = clock
    since = clock.uptime()
    current = Self.new(origin, clock)
  }

  /// Reports how the session of the process before this one ended, and writes the first marker. `handlesSignals`:
  /// whether a fault of this process is to be known to the next one.
  func start(handlesSignals: Bool) {
    reportPrevious()
    write()
    if handlesSignals {
      _ = signal_marker_install(signal.path)
    } else {
      try? FileManager.default.removeItem(at: signal)
    }
  }

  /// The app is in the foreground.
  func entersForeground() {
    let now = clock.uptime()
    switch current.state {
    case .foreground: return
    case .launching, .background:
      // The system also starts apps that no person opened, long before one does.
      if now - since > Self.pause { current = Self.new(origin, clock) }
    case .ended: current = Self.new(origin, clock)
    }
    let isNew = current.sequence < 0
    current.state = .foreground
    since = now
    if isNew { send(current.update(status: current.errors > 0 ? .errored : .ok), origin) }
    write()
  }

  /// The app is in the background, from where it may not come back.
  func entersBackground() { leave(for: .background) }

  /// The app ends as it should.
  func ends() { leave(for: .ended) }

  /// An error that the app handled.
  func recordError() {
    current.errors = min(current.errors + 1, 1_000_000)
    write()
  }

  /// Notes that the main thread has not answered for so many seconds; 0 when it answers again.
  func note(hang: Double) {
    guard current.hang != hang else { return }
    current.hang = hang
    write()
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
    send(current.update(status: current.errors > 0 ? .errored : .exited), origin)
    write()
  }

  private func reportPrevious() {
    // A marker that is missing or damaged tells nothing, and a session that nothing is known of is not reported.
    guard let data = try? Data(contentsOf: marker),
      var previous = try? JSONDecoder().decode(SessionMarker.self, from: data)
    else { return }
    let written = (try? Data(contentsOf: signal))?.count ?? 0
    let status = PreviousSession.status(
      of: previous, signalled: written > 0, origin: origin, bootID: DeviceIdentity.bootID)
    guard let status else { return }
    send(previous.update(status: status), previous.origin)
    if status == .abnormal, previous.hang > 0 { onHangAtEnd?(previous.hang) }
  }

  /// The server knows a session by its id and keeps the update with the greatest number: sent again after a kill at any
  /// moment, it counts once.
  private func send(_ session: NativeDocument.Session, _ origin: Origin) {
    var document = NativeDocument(origin, installation: installation)
    document.sessions = [session]
    guard let data = try? document.encoded() else { return payloads.count(.value) }
    payloads.add(data, .sessions)
  }

  private func write() {
    do {
      try JSONEncoder().encode(current).write(to: marker, options: .atomic)
    } catch {
      // Of two files that disagree the older one could call a session that goes on a crash.
      try? FileManager.default.removeItem(at: marker)
      payloads.count(.disk)
    }
  }

  private static func new(_ origin: Origin, _ clock: ClientClock) -> SessionMarker {
    let now = clock.now()
    return SessionMarker(
      id: UUID().uuidString.lowercased(), started: now.isPlausible ? now.milliseconds : nil, sequence: -1,
      state: .launching, errors: 0, duration: 0, origin: origin, bootID: DeviceIdentity.bootID,
      isDebugged: DeviceIdentity.isDebugged, hang: 0)
  }
}
