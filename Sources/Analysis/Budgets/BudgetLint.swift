/// The errors and warnings of a budget file.
public struct BudgetLint: Sendable {
  /// The budgets without errors. Do not use them if there are any errors.
  public let file: BudgetFile
  /// Errors, which make the file unusable, in the order of its lines.
  public let errors: [BudgetError]
  /// Warnings about metrics that are neither in the catalogue nor quoted, in the order of the lines.
  public let warnings: [BudgetError]
  private let lines: [[Unicode.Scalar]]

  /// Parses YAML. `fileName`: the text that errors and warnings begin with.
  public init(_ yaml: String, fileName: String) {
    let yaml = BudgetFileReader.withoutMark(yaml)
    var reader = BudgetFileReader(yaml: yaml, fileName: fileName)
    file = reader.read()
    errors = Self.sorted(reader.errors)
    warnings = Self.sorted(reader.warnings)
    lines = yaml.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
  }

  /// Every error and warning with its line, and a caret below the position:
  ///
  ///     budgets.yaml:3:32: expected a unit of time after 2, found "MB"
  ///       - p90 launch.first_draw <= 2 MB
  ///                                    ^
  public var text: [String] {
    var lines: [String] = []
    for error in errors { lines += [error.description] + excerpt(error) }
    for warning in warnings {
      lines += ["\(warning.file):\(warning.line):\(warning.column): warning: \(warning.message)"] + excerpt(warning)
    }
    return lines
  }

  /// The line of the file with a caret below the error. Long lines are cut to the part around the error.
  private func excerpt(_ error: BudgetError) -> [String] {
    guard lines.indices.contains(error.line - 1) else { return [] }
    let first = error.column > Self.shown ? error.column - Self.shown / 2 : 0
    let line = lines[error.line - 1].dropFirst(first).prefix(Self.shown).map(Self.printable)
    return [
      String(String.UnicodeScalarView(line)), String(repeating: " ", count: max(0, error.column - 1 - first)) + "^",
    ]
  }

  private static let shown = 160

  /// Replaces control characters, which a terminal might execute, and tabs, which would move the caret.
  private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.value < 32 || (127...159).contains(scalar.value) ? " " : scalar
  }

  static func sorted(_ errors: [BudgetError]) -> [BudgetError] {
    errors.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }
}
