/// A flag, an environment variable or a line of `plumb.yaml` that cannot be used. Commands end with status 64
/// (EX_USAGE) and print how they are used.
public struct UsageError: Error, CustomStringConvertible {
  /// The key, what was expected and what was found.
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// An error that is one sentence for people.
public struct Failure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
