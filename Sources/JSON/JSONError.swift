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
    /// More in one document than a parser takes.
    case tooLarge
  }

  /// What sort of problem it is, for callers that answer each differently.
  public var kind: Kind
  /// Where the value stands: `histogramValue["3"].bucketCount`; empty for the whole document.
  public var path: String
  /// `expected an integer, found a string`
  public var problem: String
  /// The value it is about, while its path is not known: many errors are caught again, and a path takes time in
  /// proportion to the document. `JSONParser.withDocument` finds it for those that leave the document.
  private var value: Location?

  private struct Location: Equatable, Sendable {
    /// The address of the tape, which identifies the document among those nested in its texts.
    let tape: UInt
    let index: Int
    let key: String
  }

  /// An error at `path`, described by `problem`.
  public init(_ kind: Kind, path: String = "", _ problem: String) {
    self.kind = kind
    self.path = path
    self.problem = problem
  }

  /// An error at a value, or at the member `key` that it lacks.
  @usableFromInline init(_ kind: Kind, at value: JSONValue, key: String = "", _ problem: String) {
    self.init(kind, problem)
    self.value = Location(tape: UInt(bitPattern: value.tape), index: value.index, key: key)
  }

  /// The same with its path, as long as the document that it is about is there: `root` is any value of that.
  public func located(in root: JSONValue) -> JSONError {
    guard let value, value.tape == UInt(bitPattern: root.tape) else { return self }
    var located = self
    located.value = nil
    located.path = root.sibling(at: value.index).path
    if !value.key.isEmpty { located.path = JSONPath.member(value.key, of: located.path) }
    return located
  }
}

extension JSONError: CustomStringConvertible {
  /// `histogramValue["3"].bucketCount: expected an integer, found a string`
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
