import Foundation

/// The client, assembled from its parts. Apps use it through `Plumb`.
final class VitalsClient: @unchecked Sendable {
  /// The seconds between two checks of the measurements.
  static let interval: TimeInterval = 15
  /// The number of checks after which a document is complete: five minutes.
  private static let looks = 20

  let buffer: MeasurementBuffer
  let screens: ScreenTracker
  let frames: FrameMeter
  let clock: ClientClock
  let payloads: PayloadQueue
  let uploader: Uploader
  private(set) var blocks: BlockMeter?
  /// Whether this installation sends data at all.
  let isSampled: Bool

  // Invariant: after `init`, the following variables are used only on `queue`.
  private let queue = DispatchQueue(label: "plumb.client", qos: .utility)
  private let writer: MeasurementWriter
  private let sessions: SessionRecorder?
  private let options: PlumbOptions
  private let folder: URL
  private let userFile: URL
  private let origin: Origin
  private var consentStore: ConsentStore
  private var isRecording: Bool
  private var isInForeground = false
  private var caches: [String: @Sendable () -> Double] = [:]
  private var looked = 0
  private var timer: DispatchSourceTimer?
  private var watch: DispatchSourceTimer?

  /// Throws if the folder can be neither created nor read.
  init(
    server: URL, key: String, options: PlumbOptions, origin: Origin, folder: URL, transport: Transport,
    clock: ClientClock = .system, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) throws {
    self.clock = clock
    self.options = options
    self.folder = folder
    self.origin = origin
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    payloads = try PayloadQueue(folder: folder.appendingPathComponent("queue"), limits: options.limits, clock: clock)
    consentStore = ConsentStore(file: folder.appendingPathComponent("consent"), requirement: options.consent)
    isSampled = Sampling.includes(
      options.sampleRate, file: folder.appendingPathComponent("sample"), random: random)
    isRecording = isSampled && consentStore.allowsRecording
    userFile = folder.appendingPathComponent("installation")
    let user = isRecording ? options.installation.id(file: userFile) : nil
    let buffer = MeasurementBuffer(clock: clock)
    let screens = ScreenTracker(buffer: buffer, clock: clock)
    self.buffer = buffer
    self.screens = screens
    frames = FrameMeter(buffer: buffer) { screens.top }
    writer = MeasurementWriter(
      buffer: buffer, payloads: payloads, file: folder.appendingPathComponent("open.json"), origin: origin,
      installation: user)
    uploader = Uploader(
      payloads: payloads, server: server, key: key, transport: transport, folder: folder,
      isAllowed: isRecording && consentStore.allowsSending, clock: clock, random: random)
    sessions =
      options.sendsSessions
      ? SessionRecorder(folder: folder, payloads: payloads, origin: origin, installation: user, clock: clock) : nil
    sessions?.onHangAtEnd = { seconds in buffer.add(seconds * 1000, .hang, label: "(at the end of the session)") }
    if isRecording {
      writer.firstRun = firstRun
      sessions?.start(handlesSignals: options.notesCrashSignals)
    } else {
      // The process may have ended between a refusal and the deletion, or left the sample.
      _ = discard()
    }
    if options.measuresMainThread {
      blocks = BlockMeter(clock: clock) { milliseconds in
        buffer.add(milliseconds, .mainThreadBlock)
        guard milliseconds >= BlockMeter.hang else { return }
        buffer.add(milliseconds, .hang, label: screens.top)
        if !Self.hasMetricKitHangs { buffer.add(milliseconds, .hangDuration) }
      }
    }
  }

  /// Sends files of an earlier process and begins to check measurements.
  func start() {
    uploader.start()
    guard isSampled else { return }
    queue.async {
      self.timer = self.repeating(every: Self.interval) { [weak self] in self?.look() }
      if self.blocks != nil, self.sessions != nil {
        self.watch = self.repeating(every: 2) { [weak self] in self?.watchMainThread() }
      }
    }
  }

  func enterForeground() {
    blocks?.set(active: true)
    queue.async {
      self.isInForeground = true
      guard self.isRecording else { return }
      self.sessions?.enterForeground()
      self.uploader.send()
    }
  }

  /// Completes the measurements and starts their upload at once, because the app may be suspended a moment later.
  func enterBackground() {
    blocks?.set(active: false)
    frames.finish()
    queue.sync {
      isInForeground = false
      guard isRecording else { return }
      sessions?.enterBackground()
      seal()
    }
  }

  /// Notes that the app ends normally.
  func endSession() {
    queue.sync {
      guard isRecording else { return }
      sessions?.endSession()
      seal()
    }
  }

  /// Completes the measurements and sends them.
  func flush() { queue.sync { seal() } }

  /// Stores a payload from MetricKit.
  func receive(metricKit payload: Data) {
    queue.async {
      guard self.isRecording else { return }
      self.payloads.add(payload, .metricKit, keeping: self.uploader.filesUnderway)
      self.uploader.send()
    }
  }

  func recordError() {
    queue.async {
      if self.isRecording { self.sessions?.recordError() }
    }
  }

  /// Reads the bytes of a cache whenever a document is completed.
  func watch(cache name: String, bytes: @escaping @Sendable () -> Double) { queue.async { self.caches[name] = bytes } }

  /// Whether MetricKit reports hangs.
  private static var hasMetricKitHangs: Bool {
    #if os(iOS)
      return true
    #elseif os(macOS)
      if #available(macOS 26, *) { return true }
      return false
    #else
      return false
    #endif
  }

  // MARK: Consent and user

  /// The person's decision.
  var consent: Consent { queue.sync { consentStore.decision } }

  /// Stores a decision and acts on it. When it returns after a refusal, no further upload begins and nothing waits.
  /// Returns false if the decision could not be stored, or data remains on disk.
  func setConsent(_ decision: Consent) -> Bool {
    queue.sync {
      let isStored = consentStore.set(decision)
      let mayRecord = isSampled && consentStore.allowsRecording
      uploader.set(isAllowed: mayRecord && consentStore.allowsSending)
      if mayRecord {
        if !isRecording { record() }
        return isStored
      }
      isRecording = false
      let isDeleted = discard()
      // The disk may have been full before.
      return (isStored || consentStore.set(decision)) && isDeleted
    }
  }

  /// Sets the user of the next sessions and measurements. Nil: the id that the options define.
  func setUser(_ id: String?) {
    queue.sync { use((id.map(InstallationID.custom) ?? options.installation).id(file: userFile)) }
  }

  /// Replaces the user by a new random one.
  func resetUser() {
    queue.sync { use(options.installation == .none ? nil : InstallationID.renewed(file: userFile)) }
  }

  // MARK: On the queue

  private func use(_ user: @autoclosure () -> String?) {
    guard isRecording else { return }
    // What was measured so far belongs to the previous user.
    seal()
    let user = user()
    writer.installation = user
    sessions?.set(installation: user)
    uploader.send()
  }

  /// Begins to record after a refusal was withdrawn.
  private func record() {
    isRecording = true
    buffer.set(isRecording: true)
    let user = options.installation.id(file: userFile)
    writer.installation = user
    writer.firstRun = firstRun
    sessions?.set(installation: user)
    sessions?.start(handlesSignals: options.notesCrashSignals)
    if isInForeground { sessions?.enterForeground() }
  }

  private var firstRun: FirstRun? {
    FirstRun.of(origin, file: folder.appendingPathComponent("first-run.json"), now: clock.now())
  }

  /// Deletes everything that was recorded, and the random id. Returns false if a part remains on disk.
  private func discard() -> Bool {
    buffer.set(isRecording: false)
    sessions?.forget()
    let isQueueEmpty = payloads.removeAll()
    // By name, because an app may use the folder for files of its own.
    let remaining = ["open.json", "session.json", "signal", "installation", "first-run.json"].filter { name in
      let file = folder.appendingPathComponent(name)
      try? FileManager.default.removeItem(at: file)
      return FileManager.default.fileExists(atPath: file.path)
    }
    return isQueueEmpty && remaining.isEmpty
  }

  private func look() {
    guard isRecording else { return }
    screens.sampleMemory()
    looked += 1
    if looked % Self.looks == 0 { seal() } else { writer.checkpoint() }
  }

  private func seal() {
    guard isRecording else { return }
    for (name, bytes) in caches { buffer.add(bytes(), .imageCache, label: name) }
    writer.seal(keeping: uploader.filesUnderway)
    uploader.send()
  }

  /// Notes a hang while it lasts, because the user or the OS may close the app.
  private func watchMainThread() {
    guard isRecording else { return }
    let working = blocks?.working ?? 0
    sessions?.note(hang: working >= 2 ? working.rounded() : 0)
  }

  private func repeating(every seconds: TimeInterval, _ body: @escaping () -> Void) -> DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(Int(seconds * 100)))
    timer.setEventHandler(handler: body)
    timer.resume()
    return timer
  }
}
