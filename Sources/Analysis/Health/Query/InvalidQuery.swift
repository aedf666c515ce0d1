/// A query with an invalid parameter, or a query that cannot be answered.
public struct InvalidQuery: Error, Sendable, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public let detail: String
  /// The name of the invalid parameter; nil if no single parameter is invalid.
  public let parameter: String?
  /// True if every parameter is valid, but they contradict each other or request data that are not stored.
  public let isReadable: Bool

  public init(detail: String, parameter: String? = nil, isReadable: Bool = false) {
    self.detail = detail
    self.parameter = parameter
    self.isReadable = isReadable
  }

  public var description: String { detail }
}
