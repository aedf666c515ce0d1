internal import Synchronization

extension HTTPServer {
  /// Totals since the server object was created, and its current load.
  struct Counters: Sendable {
    /// Responses with a status below 300.
    let successful: Int
    /// Responses with a status of 300 to 399.
    let redirected: Int
    /// Responses with a status of 400 to 499.
    let clientErrors: Int
    /// Responses with a status of 500 and more.
    let serverErrors: Int
    /// Requests refused before their body was used: at the headers, over the body limit, or because memory for bodies
    /// was full.
    let refused: Int
    /// Connections closed because a request exceeded the deadline or its body arrived too slowly.
    let closedAtDeadline: Int
    /// Idle connections that were closed to make room for new ones.
    let evicted: Int
    /// Connections refused because their address had reached its limit and all of its connections were waiting for an
    /// answer.
    let refusedConnections: Int
    /// Connections that are open now.
    let connections: Int
    /// Requests being processed now: from their headers to the end of their answer.
    let requestsInFlight: Int
    /// Bytes of memory currently charged for bodies that are arriving or not answered yet.
    let bodiesInFlight: Int
  }

  /// The current values of the counters.
  var counters: Counters {
    let service = running
    return Counters(
      successful: traffic.successful.load(ordering: .relaxed),
      redirected: traffic.redirected.load(ordering: .relaxed),
      clientErrors: traffic.clientErrors.load(ordering: .relaxed),
      serverErrors: traffic.serverErrors.load(ordering: .relaxed),
      refused: traffic.refused.load(ordering: .relaxed),
      closedAtDeadline: traffic.closedAtDeadline.load(ordering: .relaxed),
      evicted: traffic.evicted.load(ordering: .relaxed),
      refusedConnections: traffic.refusedConnections.load(ordering: .relaxed),
      connections: service?.registry.count ?? 0,
      requestsInFlight: service?.inFlight.load(ordering: .relaxed) ?? 0,
      bodiesInFlight: service?.bodyBytes.load(ordering: .relaxed) ?? 0)
  }
}

/// The atomic totals behind `HTTPServer.Counters`.
final class ServerCounters: Sendable {
  let successful = Atomic<Int>(0)
  let redirected = Atomic<Int>(0)
  let clientErrors = Atomic<Int>(0)
  let serverErrors = Atomic<Int>(0)
  let refused = Atomic<Int>(0)
  let closedAtDeadline = Atomic<Int>(0)
  let evicted = Atomic<Int>(0)
  let refusedConnections = Atomic<Int>(0)

  func count(_ status: Int) {
    switch status {
    case ..<300: Self.raise(successful)
    case ..<400: Self.raise(redirected)
    case ..<500: Self.raise(clientErrors)
    default: Self.raise(serverErrors)
    }
  }

  static func raise(_ counter: borrowing Atomic<Int>) { counter.add(1, ordering: .relaxed) }
}
