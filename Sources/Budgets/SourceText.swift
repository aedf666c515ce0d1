internal import Yams

/// The scalars of a YAML file, to say where in it something stands.
struct SourceText {
  private let lines: [[Unicode.Scalar]]
  private let text: String

  init(_ text: String) {
    self.text = text
    lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
  }

  /// Where the scalar at `offset` of a value stands in the file; the value's start where its style hides that (escapes,
  /// blocks).
  func place(of offset: Int, in scalar: Node.Scalar) -> Place {
    let start = Place(scalar.mark)
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
    return Place(line: line, column: column)
  }

  /// Where Yams found a file that is no YAML, and what it says about it.
  func place(of error: any Error) -> (Place, String) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return (Place(mark), "not valid YAML: \(problem)")
    case .reader(let problem, let offset, _, _):
      return (offset.map(place(ofCharacter:)) ?? Place(), "not valid YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      return (Place(context.mark), "the key \(keys.first ?? "") stands here twice")
    default: return (Place(), "not valid YAML")
    }
  }

  private subscript(line: Int, column: Int) -> Unicode.Scalar? {
    guard lines.indices.contains(line - 1), lines[line - 1].indices.contains(column - 1) else { return nil }
    return lines[line - 1][column - 1]
  }

  /// Where a plain or quoted value goes on that breaks its line at this place: YAML makes one space of the break.
  private func fold(_ line: Int, _ column: Int) -> (Int, Int)? {
    guard lines.indices.contains(line - 1), line < lines.count,
      lines[line - 1].dropFirst(column - 1).allSatisfy(Self.isBlank),
      let first = lines[line].firstIndex(where: { !Self.isBlank($0) })
    else { return nil }
    return (line + 1, first + 1)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

  private func place(ofCharacter offset: Int) -> Place {
    let before = text.prefix(offset).unicodeScalars
    let line = before.lazy.filter { $0 == "\n" }.count + 1
    let column = before.reversed().prefix { $0 != "\n" }.count + 1
    return Place(line: line, column: column)
  }
}

/// Line and column, from 1.
struct Place: Equatable {
  var line = 1
  var column = 1

  init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }

  init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}
