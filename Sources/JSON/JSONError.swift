/// Why a document, or a value in it, could not be read.
public struct JSONError: Error, Equatable, Sendable {
  /// What sort of problem it is.
  public enum Kind: Sendable {
    /// The bytes are no JSON.
    case syntax
    /// There is no document, only white space.
    case empty
    /// A value is there, of another type.
    case type
    /// A value that must be there is not.
    case missing
    /// A value of the right type that cannot be.
    case value
  }

  /// What sort of problem it is, for callers that answer each differently.
  public var kind: Kind
  /// Where the value stands: `histogramValue["3"].bucketCount`; empty for the whole document.
  public var path: String
  /// `expected an integer, found a string`
  public var problem: String

  /// An error at `path`, described by `problem`.
  public init(_ kind: Kind, path: String = "", _ problem: String) {
    self.kind = kind
    self.path = path
    self.problem = problem
  }
}

extension JSONError: CustomStringConvertible {
  /// `histogramValue["3"].bucketCount: expected an integer, found a string`
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
