/// Everything that is wrong with a budget file, in the order of its lines.
public struct BudgetErrors: Error, Sendable, Equatable, CustomStringConvertible {
  /// At least one.
  public let errors: [BudgetError]

  /// One line an error.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// `budgets.yaml:4:34: expected a unit of time after 2, found "MB"`
public struct BudgetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name the file was read under.
  public let file: String
  /// From 1.
  public let line: Int
  /// From 1, in Unicode scalars.
  public let column: Int
  /// What was expected, what was found, and what to do about it.
  public let message: String

  /// In the form editors and CI systems recognise.
  public var description: String { "\(file):\(line):\(column): \(message)" }
}
