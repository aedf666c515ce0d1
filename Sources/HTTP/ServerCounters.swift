internal import Synchronization

extension HTTPServer {
  /// What the server has done since it was made, and what it holds now.
  public struct Counters: Sendable {
    /// Answers with a status below 300.
    public let successful: Int
    /// Answers 3xx.
    public let redirected: Int
    /// Answers 4xx.
    public let clientErrors: Int
    /// Answers 5xx.
    public let serverErrors: Int
    /// Requests refused before their body was used: at the headers, over the limit, or over the share of all bodies.
    public let refused: Int
    /// Connections closed because a request took longer than the deadline.
    public let closedAtDeadline: Int
    /// Idle connections that were closed to make room for new ones.
    public let evicted: Int
    /// Connections of an address that has all it may have, and is owed an answer on every one.
    public let refusedConnections: Int
    /// Open connections.
    public let connections: Int
    /// Requests between their headers and the end of their answer.
    public let requestsInFlight: Int
    /// Bytes charged for bodies that are arriving or not answered yet.
    public let bodiesInFlight: Int
  }

  /// A reading of the counters.
  public var counters: Counters {
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

/// The counters behind `HTTPServer.Counters`.
final class Traffic: Sendable {
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
