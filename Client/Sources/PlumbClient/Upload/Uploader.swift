import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends waiting files, oldest first, and pauses while the server refuses.
final class Uploader: @unchecked Sendable {
  /// The most uploads at once. A background session continues them while the app is suspended.
  private static let most = 4

  // Invariant: all variables are used on `queue` only.
  private let queue = DispatchQueue(label: "plumb.uploader", qos: .utility)
  private var underway: Set<String> = []
  private var backoff: Backoff
  private var isReady = false
  private var isAllowed: Bool
  private var endpoint: Endpoint
  private var timer: DispatchSourceTimer?

  private let payloads: PayloadQueue
  private let key: String
  private let transport: Transport

  /// `server`: the address without `/v1/payloads`. `folder`: keeps waits and moves for the next process. `isAllowed`:
  /// whether files may be sent.
  init(
    payloads: PayloadQueue, server: URL, key: String, transport: Transport, folder: URL, isAllowed: Bool = true,
    clock: ClientClock, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.payloads = payloads
    let original = server.appendingPathComponent("v1").appendingPathComponent("payloads")
    self.endpoint = Endpoint(file: folder.appendingPathComponent("endpoint.json"), original: original)
    self.isAllowed = isAllowed
    self.key = key
    self.transport = transport
    self.backoff = Backoff(
      file: folder.appendingPathComponent("backoff.json"), target: "\(original.absoluteString) \(key)", clock: clock,
      random: random)
  }

  /// Finds the uploads that an earlier process began, then sends.
  func start() {
    transport.begin(
      ended: { [weak self] name, result in
        guard let self else { return }
        self.queue.async { self.ended(name, result) }
      },
      underway: { [weak self] names in
        guard let self else { return }
        self.queue.async { self.begin(names) }
      })
  }

  /// Sends waiting files unless the uploader must wait.
  func send() { queue.async { self.sendWaiting() } }

  /// Sets whether files may be sent. If not, uploads are cancelled, and none begins after this returns.
  func set(isAllowed: Bool) {
    queue.sync {
      self.isAllowed = isAllowed
      if isAllowed { sendWaiting() } else { transport.cancelAll() }
    }
  }

  /// The names of files in upload.
  var filesUnderway: Set<String> { queue.sync { underway } }

  /// The seconds until the next attempt; 0 or less means now.
  var waitRemaining: TimeInterval { queue.sync { backoff.remaining } }

  private func begin(_ names: Set<String>) {
    underway = names
    isReady = true
    // Another launch may have begun them before the person refused.
    if isAllowed { sendWaiting() } else { transport.cancelAll() }
  }

  private func sendWaiting() {
    guard isReady, isAllowed else { return }
    payloads.expireOld()
    let remaining = backoff.remaining
    guard remaining <= 0 else { return wake(after: remaining) }
    // After a failure, one file checks whether the server is back.
    let limit = backoff.failures > 0 ? 1 : Self.most
    while underway.count < limit, let file = payloads.next(except: underway) {
      var request = URLRequest(url: endpoint.url)
      request.httpMethod = "POST"
      request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
      request.setValue(file.key, forHTTPHeaderField: "Idempotency-Key")
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      underway.insert(file.name)
      transport.send(request, file: payloads.url(of: file), name: file.name)
    }
  }

  private func ended(_ name: String, _ result: UploadResult) {
    underway.remove(name)
    // Several files that fail together count as one failure. A cancelled upload is not a failure.
    let isCounted = isAllowed && backoff.remaining <= 0
    if case .answered = result { endpoint.answered() }
    switch UploadDecision(result) {
    case .delivered:
      payloads.remove(name)
      backoff.succeeded()
    case .lost(let reason):
      payloads.remove(name, lostBy: reason)
      backoff.succeeded()
    case .later(let least):
      if isCounted || isAllowed && least > backoff.remaining { backoff.failed(atLeast: least) }
    case .moved(let url) where endpoint.move(to: url): break
    case .moved, .misdirected:
      endpoint.forgetMove()
      if isCounted { backoff.failedByAddressOrKey() }
    }
    sendWaiting()
  }

  private func wake(after seconds: TimeInterval) {
    timer?.cancel()
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(Int(min(seconds * 100, 60_000))))
    timer.setEventHandler { [weak self] in self?.sendWaiting() }
    timer.resume()
    self.timer = timer
  }
}
