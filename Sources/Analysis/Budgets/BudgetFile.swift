/// A team's budget file in YAML.
///
///     app: com.example.shop
///     budgets:
///       - sessions.crash_free >= 99.5%
///       - p90 launch.first_draw <= 2 s, warn at 1.5 s
public struct BudgetFile: Sendable, Hashable {
  /// The bundle identifier the file is for; nil for any app.
  public var app: String?
  /// The budgets, in the order of the file.
  public var budgets: [Budget]
  /// Where budgets are about a value of the app's attribute.
  var attributes: [AttributeUse] = []

  init(app: String? = nil, budgets: [Budget] = []) {
    self.app = app
    self.budgets = budgets
  }

  /// Parses the YAML of a budget file. `fileName`: the text that errors begin with. `mostBudgets`: a file with more is
  /// refused before they are parsed. Throws all errors of the file at once.
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

  /// Throws unless all budgets are about the attribute of the app, whose name is nil if it has none: other budgets would
  /// never find data.
  public func check(attribute: String?, of app: String) throws(BudgetErrors) {
    let errors = attributes.filter { $0.name != attribute }.map { use in
      let own =
        attribute.map { "expected \($0), the attribute of \(app), found \(quoted(use.name))" }
        ?? "\(app) has no attribute: plumb app settings \(app) --attribute \(use.name) sets one"
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
  /// The line of the file, from 1.
  let line: Int
  /// The column of the line, from 1, in Unicode scalars.
  let column: Int
  /// The expected and the found text, and how to correct it.
  let message: String

  /// The error in the form `FILE:LINE:COLUMN: MESSAGE`, which editors and CI systems recognise.
  public var description: String { "\(file):\(line):\(column): \(message)" }
}
