/// A team's budget file.
///
///     app: com.example.shop
///     budgets:
///       - sessions.crash_free >= 99.5%
///       - p90 launch.first_draw <= 2 s, warn at 1.5 s
public struct BudgetFile: Sendable, Hashable {
  /// The bundle identifier the file is for; nil for any app.
  public var app: String?
  /// In the order of the file.
  public var budgets: [Budget]

  /// A file that was not read from YAML.
  public init(app: String? = nil, budgets: [Budget] = []) {
    self.app = app
    self.budgets = budgets
  }

  /// Reads the YAML of a budget file. `fileName` is what errors begin with. The error holds everything that is wrong.
  public static func parse(_ yaml: String, fileName: String) throws(BudgetErrors) -> BudgetFile {
    var reader = BudgetFileReader(yaml: yaml, fileName: fileName)
    let file = reader.read()
    guard reader.errors.isEmpty else {
      throw BudgetErrors(errors: BudgetLint.sorted(reader.errors))
    }
    return file
  }

  /// Whether a text can be a bundle identifier.
  public static func isBundleID(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        ".-_".utf8.contains(byte) || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      }
  }

  /// The largest file that is read, in bytes.
  public static let maximumSize = 1 << 20
}

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
