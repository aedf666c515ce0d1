internal import Glibc
internal import Synchronization

/// What all connections of a running server share.
final class ServerState: Sendable {
  let configuration: HTTPServer.Configuration
  let handler: any RequestHandler
  let traffic: Traffic
  let registry = ConnectionRegistry()
  /// For requests that were admitted without an account.
  let bodies: BodyAccount
  /// Bytes charged for bodies, of all accounts.
  let bodyBytes = Atomic<Int>(0)
  let stopSignal: StopSignal
  /// Requests between their headers and the end of their answer.
  let inFlight = Atomic<Int>(0)
  /// Connections that are suspended or being resumed.
  let suspended = Atomic<Int>(0)
  private let spools = Atomic<Int>(0)
  private let responding = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)

  init(
    _ configuration: HTTPServer.Configuration, _ handler: any RequestHandler, _ traffic: Traffic
  ) throws(HTTPServerError) {
    self.configuration = configuration
    self.handler = handler
    self.traffic = traffic
    bodies = BodyAccount(in: BodyPool(limit: configuration.bodiesInFlight), mayTakeAll: true)
    stopSignal = try StopSignal()
  }

  /// A place for one more spooled body; nil when there are enough, or the disk is full.
  func spool(in folder: String) -> SpooledBody? {
    guard spools.add(1, ordering: .relaxed).newValue <= configuration.spools else {
      spools.subtract(1, ordering: .relaxed)
      return nil
    }
    return SpooledBody(folder: folder) { [self] in spools.subtract(1, ordering: .relaxed) }
  }

  /// Whose connections are counted together; nil when there is no limit, as for a proxy.
  func limitedNetwork(of address: ClientAddress?) -> ClientAddress? {
    guard let address, !configuration.trustedProxies.contains(address) else { return nil }
    return address.network
  }

  var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

  /// Call before the handler. If true, call `leave()` afterwards; stopping waits for it. If false, do not call the handler.
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

  /// Answers every request that is still owed an answer, and returns when none is suspended any more.
  func answerSuspended() {
    for connection in registry.all { connection.answerIfSuspended { $0.stopping } }
    while suspended.load(ordering: .sequentiallyConsistent) > 0 { usleep(200) }
  }

  /// Waits until every request is answered and sent, at most for the grace period.
  func waitUntilSent() {
    let end = SystemClock.monotonic + configuration.stopGrace.milliseconds
    while inFlight.load(ordering: .sequentiallyConsistent) > 0, SystemClock.monotonic < end { usleep(1000) }
  }
}

/// The two clocks, in milliseconds.
enum SystemClock {
  /// Since an arbitrary moment; never goes back.
  static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
  /// Since 1970.
  static var wall: Int64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
