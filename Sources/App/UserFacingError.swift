/// An invalid flag, environment variable or line of `plumb.yaml`. Commands print their usage and exit with status 64
/// (EX_USAGE).
public struct UsageError: Error, CustomStringConvertible {
  /// The setting, the expected value and the value found.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// An error whose description is one complete sentence for the user.
public struct UserFacingError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
