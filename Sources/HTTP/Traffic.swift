internal import Synchronization

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
