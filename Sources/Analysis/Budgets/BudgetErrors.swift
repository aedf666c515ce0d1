internal import Core
internal import Yams

/// All errors of a budget file, in the order of its lines.
public struct BudgetErrors: Error, Sendable, Equatable, CustomStringConvertible {
  /// All errors of the file; at least one.
  public let errors: [BudgetError]

  /// The descriptions of all errors, one per line.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// One error of a budget file: `budgets.yaml:4:34: expected a unit of time after 2, found "MB"`
public struct BudgetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file's name, as passed to the parser.
  let file: String
  /// The line in the file, from 1.
  let line: Int
  /// The column in the line, from 1, in Unicode scalars.
  let column: Int
  /// What was expected, what was found, and how to correct it.
  let message: String

  /// The error in the form `FILE:LINE:COLUMN: MESSAGE`, which editors and CI systems recognise.
  public var description: String { "\(file):\(line):\(column): \(message)" }
}

/// Text from the file for an error message: in quotation marks, without control characters, at most 60 characters.
func quoted(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { $0.value < 32 || (127...159).contains($0.value) ? " " : $0 }
  let short = scalars.count > 60 ? Array(scalars.prefix(59)) + ["…"] : scalars
  return "\"" + String(String.UnicodeScalarView(short)) + "\""
}
