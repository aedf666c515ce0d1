internal import Glibc
internal import Synchronization

/// The state that all connections of a running server share.
final class SharedServerState: Sendable {
  let configuration: HTTPServer.Configuration
  let handler: any RequestHandler
  let traffic: ServerCounters
  let registry = ConnectionRegistry()
  /// The account of requests that were admitted without an account.
  let bodies: BodyAccount
  /// Bytes of memory charged for bodies in all accounts together.
  let bodyBytes = Atomic<Int>(0)
  let stopSignal: StopPipe
  /// Requests between their headers and the end of their answer.
  let inFlight = Atomic<Int>(0)
  /// Connections that are suspended or being resumed.
  let suspended = Atomic<Int>(0)
  private let spools = Atomic<Int>(0)
  private let responding = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)

  init(
    _ configuration: HTTPServer.Configuration, _ handler: any RequestHandler, _ traffic: ServerCounters
  ) throws(HTTPServerError) {
    self.configuration = configuration
    self.handler = handler
    self.traffic = traffic
    bodies = BodyAccount(in: BodyMemoryPool(limit: configuration.bodiesInFlight), mayTakeAll: true)
    stopSignal = try StopPipe()
  }

  /// Creates a file for another spooled body; nil if the limit is reached or the file cannot be created.
  func spool(in folder: String) -> SpooledBody? {
    guard spools.add(1, ordering: .relaxed).newValue <= configuration.spools else {
      spools.subtract(1, ordering: .relaxed)
      return nil
    }
    return SpooledBody(folder: folder) { [self] in spools.subtract(1, ordering: .relaxed) }
  }

  /// The network whose connections are limited together with this address; nil without a limit, such as for a trusted
  /// proxy.
  func limitedNetwork(of address: ClientAddress?) -> ClientAddress? {
    guard let address, !configuration.trustedProxies.contains(address) else { return nil }
    return address.network
  }

  /// The current time of the deadline clock, in milliseconds.
  var now: Int64 { configuration.clock() }

  var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

  /// Registers a call of the handler. If it returns true, call the handler and then `leave()`, for which stopping
  /// waits. If it returns false, do not call the handler.
  func enter() -> Bool {
    responding.add(1, ordering: .sequentiallyConsistent)
    if !isStopping { return true }
    leave()
    return false
  }

  func leave() { responding.subtract(1, ordering: .sequentiallyConsistent) }

  func refuseFurtherRequests() {
    stopping.store(true, ordering: .sequentiallyConsistent)
    while responding.load(ordering: .sequentiallyConsistent) > 0 { usleep(200) }
  }

  /// Answers all suspended connections with 503, and returns when no connection is suspended.
  func answerSuspended() {
    for connection in registry.all { connection.answerIfSuspended { $0.stopping } }
    while suspended.load(ordering: .sequentiallyConsistent) > 0 { usleep(200) }
  }

  /// Waits until all answers are sent, at most for `stopGrace`.
  func waitUntilSent() {
    let end = SystemClock.monotonic + configuration.stopGrace.milliseconds
    while inFlight.load(ordering: .sequentiallyConsistent) > 0, SystemClock.monotonic < end { usleep(1000) }
  }
}

/// The monotonic and the wall clock, in milliseconds.
enum SystemClock {
  /// Milliseconds since an arbitrary moment; never decreases.
  static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
  /// Milliseconds since 1970, by the wall clock.
  static var wall: Int64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
