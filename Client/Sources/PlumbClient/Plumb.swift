import Foundation

/// Sends the vitals of an app to its Plumb server.
///
///     Plumb.start(server: URL(string: "https://plumb.example.com")!, key: "KEY")
///
/// Every function may be called on any thread, also before `start` and where it failed: then it does nothing.
public enum Plumb {
  private static let state = State()

  /// What `start` made.
  private final class State: @unchecked Sendable {
    // Invariant: all variables are used with `lock` held.
    private let lock = NSLock()
    private var client: VitalsClient?
    private var observers: [AnyObject] = []

    var current: VitalsClient? {
      lock.lock()
      defer { lock.unlock() }
      return client
    }

    /// False if there is one already.
    func set(_ client: VitalsClient) -> Bool {
      lock.lock()
      defer { lock.unlock() }
      guard self.client == nil else { return false }
      self.client = client
      return true
    }

    func keep(_ observer: AnyObject) {
      lock.lock()
      defer { lock.unlock() }
      observers.append(observer)
    }
  }

  static var client: VitalsClient? { state.current }

  /// Begins. Call it once, on the main thread, as early as the app can: in `init` of the `App`, or in
  /// `application(_:didFinishLaunchingWithOptions:)`, after another crash reporter.
  ///
  /// `server` is the address without a path, or the one under which a proxy has Plumb. `key` is what `plumb app add`
  /// prints. Returns false if the client's folder cannot be used, or if it was started before.
  @discardableResult
  public static func start(server: URL, key: String, options: PlumbOptions = PlumbOptions()) -> Bool {
    guard client == nil else { return false }
    let origin = Origin.current(environment: options.environment, attributes: options.attributes)
    let identifier = options.uploadsInBackground ? "\(origin.bundleID).plumb-client" : nil
    guard let folder = options.folder ?? defaultFolder(origin.bundleID),
      let client = try? VitalsClient(
        server: server, key: key, options: options, origin: origin, folder: folder,
        transport: URLSessionTransport(identifier: identifier, allowsCellular: options.allowsCellular)),
      state.set(client)
    else { return false }
    observe(client, options)
    client.start()
    return true
  }

  private static func observe(_ client: VitalsClient, _ options: PlumbOptions) {
    #if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
      state.keep(AppLifecycle(client))
    #endif
    #if canImport(Darwin)
      if let blocks = client.blocks { state.keep(MainThreadObserver(blocks)) }
    #endif
    #if canImport(UIKit) && !os(watchOS)
      if options.measuresFrames { state.keep(FrameObserver(client.frames)) }
    #endif
    #if canImport(MetricKit)
      if options.sendsMetricKit {
        state.keep(MetricKitReceiver { [weak client] payload in client?.receive(metricKit: payload) })
      }
    #endif
  }

  private static func defaultFolder(_ bundleID: String) -> URL? {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    guard var folder = support?.appendingPathComponent("PlumbClient").appendingPathComponent(bundleID) else {
      return nil
    }
    #if canImport(Darwin)
      // Readable after the first unlock, since uploads go on while the device is locked; and in no backup. What cannot
      // be set is no reason to send nothing.
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

// MARK: A process without UIKit and AppKit

extension Plumb {
  /// The process is in use: a session begins. Apps with UIKit or AppKit are observed, others say so themselves.
  public static func entersForeground() { client?.entersForeground() }

  /// The process is not in use. After 30 seconds its session is over.
  public static func entersBackground() { client?.entersBackground() }

  /// The process ends as it should.
  public static func ends() { client?.ends() }

  /// How many files wait for the server.
  public static var filesWaiting: Int { client?.payloads.files.count ?? 0 }
}

// MARK: Measuring

extension Plumb {
  /// One value of a metric of the app's own, with what it is about as `label`.
  public static func measure(_ value: Double, _ metric: Metric, label: String = "") {
    client?.buffer.add(value, metric, label: label)
  }

  /// A part of a sum, such as one more search.
  public static func count(_ value: Double = 1, _ metric: Metric, label: String = "") {
    client?.buffer.count(value, metric, label: label)
  }

  /// A screen begins to appear. Keep what is returned while it is seen.
  public static func screen(_ name: String) -> ScreenVisit? { client.map { ScreenVisit($0.screens, name) } }

  /// The time from a tap to what answers it, such as `Add to cart`.
  public static func interaction(_ name: String) -> Stopwatch? { stopwatch(.interactionResponse, name) }

  /// The time of a flow of several steps, such as `Checkout`.
  public static func flow(_ name: String) -> Stopwatch? { stopwatch(.flowDuration, name) }

  /// The time that decoding an image takes.
  public static func decodingImage<Result>(_ decode: () throws -> Result) rethrows -> Result {
    let watch = stopwatch(.imageDecode, "")
    defer { watch?.stop() }
    return try decode()
  }

  /// Asks for the bytes of an image cache every five minutes, and when the app is left. `bytes` is called on any
  /// thread, while the main thread may wait for it.
  public static func watch(imageCache name: String, bytes: @escaping @Sendable () -> Double) {
    client?.watch(cache: name, bytes: bytes)
  }

  /// A large allocation, such as the buffer of a picture.
  public static func allocation(bytes: Double) { client?.buffer.add(bytes, .allocation) }

  /// A request that ended: `network.request` by host, `network.response_bytes` by endpoint, and a part of
  /// `network.screen_bytes`. `endpoint` names what was asked for without ids: `GET /products/{id}`.
  public static func request(host: String, endpoint: String, seconds: Double, bytes: Double) {
    guard let client else { return }
    client.buffer.add(seconds * 1000, .request, label: host)
    client.buffer.add(bytes, .responseBytes, label: endpoint)
    client.screens.received(bytes: bytes)
  }

  /// An error that the app handled: its session is `errored`.
  public static func recordError() { client?.recordError() }

  /// Completes what was measured and sends it, instead of within five minutes.
  public static func flush() { client?.flush() }

  private static func stopwatch(_ metric: Metric, _ label: String) -> Stopwatch? {
    guard let client else { return nil }
    return Stopwatch(clock: client.clock) { seconds in client.buffer.add(seconds * 1000, metric, label: label) }
  }
}

#if canImport(Darwin)
  extension Plumb {
    /// What `urlSession(_:task:didFinishCollecting:)` gets, for the same metrics as `request`.
    public static func request(_ metrics: URLSessionTaskMetrics, endpoint: String) {
      guard let last = metrics.transactionMetrics.last else { return }
      let bytes = metrics.transactionMetrics.reduce(0) { $0 + $1.countOfResponseBodyBytesReceived }
      request(
        host: last.request.url?.host ?? "", endpoint: endpoint, seconds: metrics.taskInterval.duration,
        bytes: Double(bytes))
    }
  }
#endif
