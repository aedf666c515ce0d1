internal import JSON
internal import Telemetry

/// Why a request body was refused. Nothing of it is counted.
public struct DecodingFailure: Error, Equatable, Sendable {
  /// What sort of problem it is, for counting.
  public enum Reason: String, Sendable, CaseIterable {
    /// The bytes are no JSON.
    case syntax
    /// A value has another type than it must have.
    case type
    /// A value is missing, or cannot be.
    case value
    /// A document of a kind that is not read.
    case unsupported
    /// There is no document.
    case empty
  }

  /// What sort of problem it is.
  public var reason: Reason
  /// Where in the body: `[2].sessions[0].status`; empty for the whole body.
  public var path: String
  /// `expected an integer, found a string`
  public var detail: String

  /// A failure at `path`, described by `detail`.
  public init(_ reason: Reason, path: String = "", _ detail: String) {
    self.reason = reason
    // Both quote the body, and are read on terminals and pages.
    self.path = CleanText.name(path, atMost: 2000)
    self.detail = CleanText.name(detail, atMost: 2000)
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

  /// The failure of a document that stands at `outer` in a larger one.
  func inside(_ outer: String) -> Self {
    Self(reason, path: JSONPath.join(outer, path), detail)
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// `[2].sessions[0].status: is missing`
  public var description: String { path.isEmpty ? detail : "\(path): \(detail)" }
}
