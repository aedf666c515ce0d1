internal import Core
internal import Yams

/// Parses the YAML of a budget file and collects errors and warnings.
struct BudgetFileReader {
  private(set) var errors: [BudgetError] = []
  private(set) var warnings: [BudgetError] = []
  private var attributes: [BudgetFile.AttributeUse] = []
  private let yaml: String
  private let fileName: String
  private let mostBudgets: Int
  private let source: SourceText
  private var lines: [String: Int] = [:]

  init(yaml: String, fileName: String, mostBudgets: Int = .max) {
    self.mostBudgets = mostBudgets
    self.yaml = Self.withoutMark(yaml)
    self.fileName = fileName
    source = SourceText(self.yaml)
  }

  /// Removes the byte order mark that editors on Windows write.
  static func withoutMark(_ text: String) -> String {
    text.unicodeScalars.first == "\u{FEFF}" ? String(String.UnicodeScalarView(text.unicodeScalars.dropFirst())) : text
  }

  mutating func read() -> BudgetFile {
    var file = BudgetFile()
    guard let root = compose() else { return file }
    guard case .mapping(let mapping) = root else {
      report(root.mark, "expected the keys app and budgets, found \(name(of: root))")
      return file
    }
    var hasBudgets = false
    for (key, value) in mapping {
      switch key.string {
      case "app": file.app = app(value)
      case "budgets":
        hasBudgets = true
        file.budgets = budgets(value)
      default: report(key.mark, "unknown key \(quoted(key.string ?? name(of: key))); expected app or budgets")
      }
    }
    file.attributes = attributes
    if !hasBudgets { report(mapping.mark, "expected the key budgets with a list of budgets") }
    return file
  }

  private mutating func compose() -> Node? {
    guard yaml.utf8.count <= BudgetFile.maximumSize else {
      report(
        SourcePosition(), "the file has \(yaml.utf8.count) bytes; the limit is \(BudgetFile.maximumSize)")
      return nil
    }
    do {
      let root = try YAML.compose(yaml)
      if root == nil { report(SourcePosition(), "expected the keys app and budgets, found an empty file") }
      return root
    } catch let refusal as YAML.Refusal {
      report(SourcePosition(line: refusal.line, column: refusal.column), refusal.description)
      return nil
    } catch {
      let (position, problem) = source.position(of: error)
      report(position, problem)
      return nil
    }
  }

  private mutating func app(_ node: Node) -> String? {
    guard case .scalar(let scalar) = node, BudgetFile.isBundleID(scalar.string) else {
      report(node.mark, "expected a bundle identifier such as com.example.shop, found \(name(of: node))")
      return nil
    }
    return scalar.string
  }

  private mutating func budgets(_ node: Node) -> [Budget] {
    guard case .sequence(let items) = node else {
      report(node.mark, "expected a list of budgets, each after a hyphen, found \(name(of: node))")
      return []
    }
    guard items.count <= mostBudgets else {
      report(node.mark, "the file has \(items.count) budgets; the limit is \(mostBudgets)")
      return []
    }
    return items.compactMap { budget($0) }
  }

  private mutating func budget(_ node: Node) -> Budget? {
    guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
      report(node.mark, "expected a budget such as p90 launch.first_draw <= 2 s, found \(name(of: node))")
      return nil
    }
    do {
      let parsed = try BudgetParser.read(scalar.string)
      let budget = parsed.budget
      warnings += parsed.warnings.map { error(source.position(of: $0.offset, in: scalar), $0.message) }
      if let attribute = budget.attribute, let offset = parsed.attributeOffset {
        let position = source.position(of: offset, in: scalar)
        attributes.append(
          BudgetFile.AttributeUse(name: attribute.name, file: fileName, line: position.line, column: position.column))
      }
      if let first = lines.updateValue(node.mark?.line ?? 1, forKey: budget.text) {
        report(node.mark, "duplicate of the budget on line \(first)")
      }
      return budget
    } catch let wrong {
      report(source.position(of: wrong.offset, in: scalar), wrong.message)
      return nil
    }
  }

  private mutating func report(_ mark: Mark?, _ message: String) { report(SourcePosition(mark), message) }

  private mutating func report(_ position: SourcePosition, _ message: String) {
    errors.append(error(position, message))
  }

  private func error(_ position: SourcePosition, _ message: String) -> BudgetError {
    BudgetError(file: fileName, line: position.line, column: position.column, message: message)
  }

  private func name(of node: Node) -> String {
    switch node {
    case .scalar(let scalar): scalar.string.isEmpty ? "an empty value" : quoted(scalar.string)
    case .mapping: "keys and values"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}

/// The text of a YAML file, used to find the line and column of an error.
struct SourceText {
  private let lines: [[Unicode.Scalar]]
  private let text: String

  init(_ text: String) {
    self.text = text
    lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
  }

  /// The position in the file of the character at `offset` of a parsed value. If escapes or block style make it
  /// ambiguous, the value's start.
  func position(of offset: Int, in scalar: Node.Scalar) -> SourcePosition {
    let start = SourcePosition(scalar.mark)
    var line = start.line
    var column = start.column
    if scalar.style == .singleQuoted || scalar.style == .doubleQuoted { column += 1 }
    for expected in scalar.string.unicodeScalars.prefix(offset) {
      if self[line, column] == expected {
        column += 1
      } else if expected == " ", let next = fold(line, column) {
        (line, column) = next
      } else {
        return start
      }
    }
    return SourcePosition(line: line, column: column)
  }

  /// The position and message of an error thrown by Yams.
  func position(of error: any Error) -> (SourcePosition, String) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return (SourcePosition(mark), "not valid YAML: \(problem)")
    case .reader(let problem, let offset, _, _):
      return (offset.map(position(ofCharacter:)) ?? SourcePosition(), "not valid YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      return (SourcePosition(context.mark), "duplicate key \(keys.first ?? "")")
    default: return (SourcePosition(), "not valid YAML")
    }
  }

  private subscript(line: Int, column: Int) -> Unicode.Scalar? {
    guard lines.indices.contains(line - 1), lines[line - 1].indices.contains(column - 1) else { return nil }
    return lines[line - 1][column - 1]
  }

  /// The position at which a value continues on the next line, after a line break that YAML reads as a space; nil
  /// without such a line break at this position.
  private func fold(_ line: Int, _ column: Int) -> (Int, Int)? {
    guard lines.indices.contains(line - 1), line < lines.count,
      lines[line - 1].dropFirst(column - 1).allSatisfy(Self.isBlank),
      let first = lines[line].firstIndex(where: { !Self.isBlank($0) })
    else { return nil }
    return (line + 1, first + 1)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

  private func position(ofCharacter offset: Int) -> SourcePosition {
    let before = text.prefix(offset).unicodeScalars
    let line = before.lazy.filter { $0 == "\n" }.count + 1
    let column = before.reversed().prefix { $0 != "\n" }.count + 1
    return SourcePosition(line: line, column: column)
  }
}

/// A line and column of a file, both from 1.
struct SourcePosition: Equatable {
  var line = 1
  var column = 1

  init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }

  init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}
