import Core

/// The reason why a metric or one of its values is not stored, written for the client's developer.
struct MetricRefusal: Error {
  private let text: @Sendable () -> String

  /// `message` is composed only when it is read. A response contains only a request's first refusal.
  init(_ message: @autoclosure @escaping @Sendable () -> String) { text = message }

  var message: String { text() }
}
