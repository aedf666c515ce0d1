internal import Dispatch
internal import Synchronization

/// Carries values from many threads to one.
final class Mailbox<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// The oldest value, waited for until `deadline`; nil when none came.
  func take(until deadline: Deadline) -> Value? {
    guard count.wait(timeout: .now() + deadline.remaining) == .success else { return nil }
    return values.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
