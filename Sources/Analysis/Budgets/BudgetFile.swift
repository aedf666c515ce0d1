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

  /// Throws if a budget names an attribute that is not among `own`, the app's, because it would never match data.
  public func check(attributes own: [String], of app: String) throws(BudgetErrors) {
    let expected =
      own.count == 1
      ? "expected \(own[0]), the attribute of \(app)"
      : "expected an attribute of \(app) (\(own.joined(separator: ", ")))"
    let errors = attributes.filter { !own.contains($0.name) }.map { use in
      let message =
        own.isEmpty
        ? "\(app) has no attribute; set it with plumb app settings \(app) --attribute \(use.name)"
        : "\(expected), found \(quoted(use.name))"
      return BudgetError(file: use.file, line: use.line, column: use.column, message: message)
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
