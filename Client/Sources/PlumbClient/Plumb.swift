public import Foundation

/// Sends the vitals of an app to its Plumb server.
///
///     Plumb.start(server: URL(string: "https://plumb.example.com")!, key: "KEY")
///
/// Every function may be called on any thread, even before `start` or after it failed. It then does nothing.
public enum Plumb {
  private static let state = State()

  /// The objects that `start` created.
  private final class State: @unchecked Sendable {
    // Invariant: all variables are used with `lock` held.
    private let lock = NSLock()
    private var client: VitalsClient?
    private var observers: [AnyObject] = []
    /// A decision from before the start.
    private var decision: Consent?

    var current: VitalsClient? {
      lock.lock()
      defer { lock.unlock() }
      return client
    }

    /// Returns false if a client is already set.
    func set(_ client: VitalsClient) -> Bool {
      lock.lock()
      defer { lock.unlock() }
      guard self.client == nil else { return false }
      self.client = client
      return true
    }

    func keep(_ decision: Consent) {
      lock.lock()
      defer { lock.unlock() }
      self.decision = decision
    }

    func takeDecision() -> Consent? {
      lock.lock()
      defer { lock.unlock() }
      defer { decision = nil }
      return decision
    }

    func keep(_ observer: AnyObject) {
      lock.lock()
      defer { lock.unlock() }
      observers.append(observer)
    }
  }

  static var client: VitalsClient? { state.current }

  /// Starts the client. Call it once on the main thread, as early as possible: in `init` of the `App`, or in
  /// `application(_:didFinishLaunchingWithOptions:)`, after any other crash reporter.
  ///
  /// `server` is the address without a path, or the address at which a proxy serves Plumb. `key` is the key that `plumb
  /// app add` prints. Data that waits is sent to the address and with the key of the latest start, so an app's next
  /// version can have others. Returns false if `server` is not an http or https address, the client's folder cannot be used
  /// or the client was already started.
  @discardableResult
  public static func start(server: URL, key: String, options: PlumbOptions = PlumbOptions()) -> Bool {
    guard client == nil, ["http", "https"].contains(server.scheme?.lowercased()), server.host?.isEmpty == false else {
      return false
    }
    let origin = Origin.current(environment: options.environment, attributes: options.attributes)
    let identifier = options.uploadsInBackground && !isAppExtension ? "\(origin.bundleID).plumb-client" : nil
    guard let folder = options.folder ?? defaultFolder(origin.bundleID),
      let client = try? VitalsClient(
        server: server, key: key, options: options, origin: origin, folder: folder,
        transport: URLSessionTransport(identifier: identifier, allowsCellular: options.allowsCellular)),
      state.set(client)
    else { return false }
    if let decision = state.takeDecision() { _ = client.setConsent(decision) }
    if client.isSampled { observe(client, options) }
    client.start()
    return true
  }

  /// Starts the client like ``start(server:key:options:)``, with another ``PlumbOptions/consent``.
  @discardableResult
  public static func start(
    server: URL, key: String, consent: ConsentRequirement, options: PlumbOptions = PlumbOptions()
  ) -> Bool {
    var options = options
    options.consent = consent
    return start(server: server, key: key, options: options)
  }

  /// An extension would need a container that it shares with its app to upload in the background.
  private static var isAppExtension: Bool { Bundle.main.bundleURL.pathExtension == "appex" }

  private static func observe(_ client: VitalsClient, _ options: PlumbOptions) {
    #if canImport(UIKit) || canImport(AppKit)
      state.keep(AppLifecycle(client))
    #endif
    #if canImport(Darwin)
      if let blocks = client.blocks { state.keep(MainThreadObserver(blocks)) }
    #endif
    #if canImport(UIKit) && !os(watchOS)
      if options.measuresFrames { state.keep(FrameObserver(client.frames)) }
    #endif
    #if canImport(MetricKit) && !os(tvOS) && !os(watchOS)
      if options.sendsMetricKit {
        state.keep(MetricKitReceiver { [weak client] payload in client?.receive(metricKit: payload) })
      }
    #endif
  }

  private static func defaultFolder(_ bundleID: String) -> URL? {
    #if os(tvOS)
      // Apps on an Apple TV may write nowhere else. The OS may delete it while the app does not run.
      let place = FileManager.SearchPathDirectory.cachesDirectory
    #else
      let place = FileManager.SearchPathDirectory.applicationSupportDirectory
    #endif
    let support = FileManager.default.urls(for: place, in: .userDomainMask).first
    guard var folder = support?.appendingPathComponent("PlumbClient").appendingPathComponent(bundleID) else {
      return nil
    }
    #if canImport(Darwin)
      // Readable after the first unlock, because uploads continue while the device is locked. Excluded from backups.
      // Data is still sent if these attributes cannot be set.
      try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? folder.setResourceValues(values)
      #if os(iOS)
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: folder.path)
      #endif
    #endif
    return folder
  }
}

// MARK: Consent and user

extension Plumb {
  /// The person's decision; ``Consent/unknown`` before ``start(server:key:options:)``.
  public static var consent: Consent { client?.consent ?? .unknown }

  /// Stores a person's decision, which also holds for later launches. Call it on the main thread. A decision from before
  /// ``start(server:key:options:)`` is stored when the client starts, before it sends anything.
  ///
  /// When it returns after a refusal, no further upload begins, uploads under way are cancelled, and the data that
  /// waited and the random user id are deleted. ``Consent/unknown`` withdraws a decision.
  ///
  /// Returns false if the decision could not be stored, data could not be deleted, or the client is not started yet.
  /// The decision then holds at most until the process ends, so call it again at the next launch.
  @discardableResult
  public static func setConsent(_ decision: Consent) -> Bool {
    if let client { return client.setConsent(decision) }
    state.keep(decision)
    return false
  }

  /// Sets the user of the next sessions and measurements, such as the hash of an account; nil for the one of
  /// ``PlumbOptions/installation``. It is not stored: call it at each launch, directly after
  /// ``start(server:key:options:)``. A session of another user ends, and a new one begins.
  public static func setUser(_ id: String?) { client?.setUser(id) }

  /// Replaces the user by a new random one, which also holds for later launches. Call it when a person logs out. The
  /// session ends, and a new one begins. Data that waits keeps its user.
  public static func resetUser() { client?.resetUser() }
}

// MARK: A process without UIKit and AppKit

extension Plumb {
  /// Starts a session because the process is in use. Needed only without UIKit and AppKit, which the client observes.
  public static func enterForeground() { client?.enterForeground() }

  /// Notes that the process is not in use. Its session ends after 30 seconds.
  public static func enterBackground() { client?.enterBackground() }

  /// Notes that the process ends normally.
  public static func endSession() { client?.endSession() }

  /// The number of files that wait for the server.
  public static var filesWaiting: Int { client?.payloads.files.count ?? 0 }
}

// MARK: Measuring

extension Plumb {
  /// One value of a custom metric, with an optional label.
  public static func measure(_ value: Double, _ metric: Metric, label: String = "") {
    client?.buffer.add(value, metric, label: label)
  }

  /// An addition to a sum, such as one more search.
  public static func count(_ value: Double = 1, _ metric: Metric, label: String = "") {
    client?.buffer.count(value, metric, label: label)
  }

  /// The visit of a screen that begins to appear. Keep the result while the screen is visible.
  public static func startScreen(_ name: String) -> ScreenVisit? { client.map { ScreenVisit($0.screens, name) } }

  /// The time from a tap to the app's response, such as for `Add to cart`.
  public static func startInteraction(_ name: String) -> Stopwatch? { stopwatch(.interactionResponse, name) }

  /// The time of a flow with several steps, such as `Checkout`.
  public static func startFlow(_ name: String) -> Stopwatch? { stopwatch(.flowDuration, name) }

  /// The result of `decode`, whose time is measured as the decoding of an image.
  public static func measureImageDecoding<Result>(_ decode: () throws -> Result) rethrows -> Result {
    let watch = stopwatch(.imageDecode, "")
    defer { watch?.stop() }
    return try decode()
  }

  /// Reads the size of an image cache in bytes every five minutes, and when the app leaves the foreground. `bytes` is
  /// called on any thread, and the main thread may wait for it.
  public static func watch(imageCache name: String, bytes: @escaping @Sendable () -> Double) {
    client?.watch(cache: name, bytes: bytes)
  }

  /// A large allocation in bytes, such as the buffer of an image.
  public static func recordAllocation(bytes: Double) { client?.buffer.add(bytes, .allocation) }

  /// A finished request: `network.request` by host, `network.response_bytes` by endpoint, and a part of
  /// `network.screen_bytes`. `endpoint` names the resource without ids: `GET /products/{id}`.
  public static func recordRequest(host: String, endpoint: String, seconds: Double, bytes: Double) {
    guard let client else { return }
    client.buffer.add(seconds * 1000, .request, label: host)
    client.buffer.add(bytes, .responseBytes, label: endpoint)
    client.screens.received(bytes: bytes)
  }

  /// An error that the app handled. Its session becomes `errored`.
  public static func recordError() { client?.recordError() }

  /// Completes the current measurements and sends them now instead of within five minutes.
  public static func flush() { client?.flush() }

  private static func stopwatch(_ metric: Metric, _ label: String) -> Stopwatch? {
    guard let client else { return nil }
    return Stopwatch(clock: client.clock) { seconds in client.buffer.add(seconds * 1000, metric, label: label) }
  }
}

#if canImport(Darwin)
  extension Plumb {
    /// The metrics of a task from `urlSession(_:task:didFinishCollecting:)`, measured like `recordRequest`.
    public static func recordRequest(_ metrics: URLSessionTaskMetrics, endpoint: String) {
      guard let last = metrics.transactionMetrics.last else { return }
      let bytes = metrics.transactionMetrics.reduce(0) { $0 + $1.countOfResponseBodyBytesReceived }
      recordRequest(
        host: last.request.url?.host ?? "", endpoint: endpoint, seconds: metrics.taskInterval.duration,
        bytes: Double(bytes))
    }
  }
#endif
