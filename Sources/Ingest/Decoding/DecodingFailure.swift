import Core

/// The reason why a request body was refused. Nothing in a refused body is counted.
public struct DecodingFailure: Error, Equatable, Sendable {
  /// The category of the problem. Refused bodies are counted by it.
  public enum Reason: String, Sendable, CaseIterable {
    /// The body is not valid JSON.
    case syntax
    /// A value has the wrong JSON type.
    case type
    /// A required value is missing, or a value is not allowed.
    case value
    /// Plumb recognises the document but does not support its kind.
    case unsupported
    /// The body contains no document.
    case empty
  }

  /// The category of the failure.
  public var reason: Reason
  /// The key path of the value in the body, such as `[2].sessions[0].status`; empty for the whole body.
  public var path: String
  /// The failure's message without the path, such as `expected an integer, found a string`.
  public var detail: String

  /// Creates a failure at `path`.
  public init(_ reason: Reason, path: String = "", _ detail: String) {
    self.reason = reason
    // Both may quote the body and are shown on terminals and pages.
    self.path = SanitizedText.name(path, atMost: 2000)
    self.detail = SanitizedText.name(detail, atMost: 2000)
  }

  init(_ error: JSONError) {
    let reason: Reason =
      switch error.kind {
      case .syntax: .syntax
      case .empty: .empty
      case .type: .type
      case .missing, .value, .tooLarge: .value
      }
    self.init(reason, path: error.path, error.problem)
  }

  /// The failure with `outer` before its path, for a document inside a larger one.
  func inside(_ outer: String) -> Self {
    Self(reason, path: JSONPath.join(outer, path), detail)
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// The message with the key path: `[2].sessions[0].status: is missing`.
  public var description: String { path.isEmpty ? detail : "\(path): \(detail)" }
}
