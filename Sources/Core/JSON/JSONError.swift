/// The error for a document, or a value in it, that could not be read.
public struct JSONError: Error, Equatable, Sendable {
  /// The category of a JSON error.
  public enum Kind: Sendable {
    /// The document is not valid JSON.
    case syntax
    /// The input contains no document, only white space.
    case empty
    /// A value has another JSON type than expected.
    case type
    /// A required member is missing.
    case missing
    /// A value has the right JSON type but is not allowed.
    case value
    /// The document has more values than the parser allows.
    case tooLarge
  }

  /// The category of the error, for callers that handle each category differently.
  public var kind: Kind
  /// The key path of the value, such as `histogramValue["3"].bucketCount`; empty for the whole document.
  public var path: String
  /// The error's message without the path, such as `expected an integer, found a string`.
  public var problem: String
  /// The value with the error, until its path is computed. Computing a path takes time in proportion to the document,
  /// and many errors are caught early. `JSONParser.withDocument` therefore computes it only for errors that leave the
  /// document.
  private var value: Location?

  private struct Location: Equatable, Sendable {
    /// The address of the tape, which distinguishes the document from documents nested in its strings.
    let tape: UInt
    let index: Int
    let key: String
  }

  /// Creates an error for a value whose key path is known.
  init(_ kind: Kind, path: String = "", _ problem: String) {
    self.kind = kind
    self.path = path
    self.problem = problem
  }

  /// Creates an error for a value, or for its missing member `key`.
  @usableFromInline init(_ kind: Kind, at value: JSONValue, key: String = "", _ problem: String) {
    self.init(kind, problem)
    self.value = Location(tape: UInt(bitPattern: value.tape), index: value.index, key: key)
  }

  /// A copy of the error with its path. `root` is any value of the document that has the error; for values of another
  /// document the error is unchanged.
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
  /// The message with the key path: `histogramValue["3"].bucketCount: expected an integer, found a string`.
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
