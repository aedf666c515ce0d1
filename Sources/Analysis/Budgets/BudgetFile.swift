/// A team's budget file in YAML.
///
///     app: com.example.shop
///     budgets:
///       - sessions.crash_free >= 99.5%
///       - p90 launch.first_draw <= 2 s, warn at 1.5 s
public struct BudgetFile: Sendable, Hashable {
  /// The bundle identifier of the app that the file is for; nil for any app.
  public var app: String?
  /// The budgets, in the order of the file.
  public var budgets: [Budget]
  /// The attributes that budgets name, with their positions.
  var attributes: [AttributeUse] = []

  init(app: String? = nil, budgets: [Budget] = []) {
    self.app = app
    self.budgets = budgets
  }

  /// Parses the YAML of a budget file. `fileName`: the text that errors begin with. `mostBudgets`: the maximum number
  /// of budgets; a file with more is refused before they are parsed. Throws all errors of the file at once.
  public static func parse(
    _ yaml: String, fileName: String, mostBudgets: Int = .max
  ) throws(BudgetErrors) -> BudgetFile {
    var reader = BudgetFileReader(yaml: yaml, fileName: fileName, mostBudgets: mostBudgets)
    let file = reader.read()
    guard reader.errors.isEmpty else {
      throw BudgetErrors(errors: BudgetLint.sorted(reader.errors))
    }
    return file
  }

  /// The name of an attribute in a budget, and its position.
  struct AttributeUse: Sendable, Hashable {
    let name: String
    let file: String
    let line: Int
    let column: Int
  }

  /// Throws if a budget names an attribute other than `attribute`, the app's, because it would never match data.
  /// `attribute` is nil for an app without one.
  public func check(attribute: String?, of app: String) throws(BudgetErrors) {
    let errors = attributes.filter { $0.name != attribute }.map { use in
      let own =
        attribute.map { "expected \($0), the attribute of \(app), found \(quoted(use.name))" }
        ?? "\(app) has no attribute; set it with plumb app settings \(app) --attribute \(use.name)"
      return BudgetError(file: use.file, line: use.line, column: use.column, message: own)
    }
    if !errors.isEmpty { throw BudgetErrors(errors: errors) }
  }

  /// Whether a text is a valid bundle identifier.
  public static func isBundleID(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        ".-_".utf8.contains(byte) || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      }
  }

  /// The largest accepted file, in bytes.
  public static let maximumSize = 1 << 20
}

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
