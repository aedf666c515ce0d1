import Testing

/// What a reader of this project may rely on. Each failure names the file, the line and what is wished instead.
@Suite("Style")
struct StyleTests {
  private let tree = SourceTree.shared

  @Test("a file has at most 350 lines, or 600 for tests")
  func fileLength() {
    for file in tree.files {
      // Tables that another program computed are as long as they are.
      if file.path.contains("/Reference/") { continue }
      let most = file.isSource ? 350 : 600
      #expect(
        file.lines.count <= most + 1,
        "\(file.path):\(most): has \(file.lines.count) lines; split it where a second thought begins")
    }
    #expect(tree.sources.count > 100, "the sources were not found")
  }

  @Test("a folder has at most 36 files")
  func folderSize() {
    let folders = Dictionary(grouping: tree.sources) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
    for (folder, files) in folders {
      #expect(files.count <= Self.mostFiles, "\(folder): has \(files.count) files; give parts of it folders")
    }
  }

  private static let mostFiles = 36

  @Test("a search for a file or a type by its name finds one")
  func uniqueNames() {
    var places: [Substring: [String]] = [:]
    for file in tree.files where file.path.hasPrefix("Sources/") {
      if let name = file.path.split(separator: "/").last { places[name, default: []].append(file.path) }
      for line in file.lines where line.text.first != " " && !line.code.contains("private") {
        for name in Self.declared(on: line.code, ["struct", "class", "enum", "actor", "protocol"]) {
          places[name, default: []].append("\(file.path):\(line.number)")
        }
      }
    }
    for (name, found) in places where found.count > 1 {
      Issue.record("\(name): \(found.joined(separator: " and ")); rename one")
    }
    #expect(places.count > 1000, "the types were not found")
  }

  @Test("types are named by the terms of the field")
  func names() {
    for file in tree.sources {
      for line in file.lines {
        for name in Self.declared(on: line.code, ["struct", "class", "enum", "actor", "protocol", "typealias"]) {
          if let wish = Self.betterNames[String(name)] {
            Issue.record("\(file.path):\(line.number): \(name) is a riddle; call it \(wish) or what it holds")
          }
          for ending in Self.vagueEndings where name.hasSuffix(ending) {
            Issue.record("\(file.path):\(line.number): \(name): \(ending) says nothing; name what it does")
          }
        }
      }
    }
  }

  /// Names that once stood here, and what they are called now.
  private static let betterNames = [
    "BudgetBook": "BudgetRepository", "TallyBook": "OutcomeCounter", "JoinBook": "RegroupingMoveLog",
    "IncidentBook": "IncidentStore", "DigestSeat": "DigestLease", "ChildSeat": "SymbolizerSession",
    "LineChild": "LineProcess", "AlertDesk": "AlertService", "DigestDesk": "SummaryBuilder",
    "DigestPost": "SummarySender", "RecordSeal": "Pseudonymizer", "Edition": "DataChangeToken", "Pauses": "Backoff",
    "Stem": "NormalizedStack", "CutStacks": "TruncatedStacks", "CutGroups": "TruncatedGroups", "Life": "Lifetime",
    "Packing": "ContentEncodings", "KeyRate": "RateLimiter", "BodyShare": "BodyMemoryQuota",
    "ServerAnswers": "DefaultResponses", "Trail": "Breadcrumbs", "Moment": "TimeElement", "NothingYet": "EmptyState",
    "Upkeep": "Maintenance", "RowReader": "MetricRowQueries",
  ]
  private static let vagueEndings = ["Manager", "Helper", "Helpers", "Util", "Utils", "Common", "Desk", "Seat", "Book"]

  @Test("comments name their subject")
  func comments() {
    for file in tree.sources {
      for line in file.lines {
        guard let comment = line.comment?.lowercased() else { continue }
        for (phrase, wish) in Self.riddles where comment.hasBytes(of: phrase) {
          Issue.record("\(file.path):\(line.number): \"\(phrase)\"; \(wish)")
        }
      }
    }
  }

  private static let riddles = [
    ("who asks", "name the caller"), ("whoever asks", "name the caller"), ("keeps nobody", "say what is not blocked"),
    ("nobody knows", "say what is unknown"), ("the road of", "say path, or name the steps"),
    ("where the way", "say path, or name the steps"), ("of one's own", "say custom"),
    ("has a say", "say what decides"), ("told apart", "say distinguished"), ("whoever", "name the subject"),
    ("somebody", "name the subject"), ("nobody", "name the subject"), ("anybody", "name the subject"),
    ("todo", "do it, or leave it out"), ("fixme", "mend it, or leave it out"),
  ]

  @Test("sources and documents use the project's terms")
  func terms() {
    for file in tree.sources {
      for line in file.lines { Self.checkTerms(in: line.text, "\(file.path):\(line.number)") }
    }
    for document in DocumentTests.sorted where document.name != "CHANGELOG.md" && document.name != "CONTRIBUTING.md" {
      for (index, line) in document.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        Self.checkTerms(in: line, "\(document.name):\(index + 1)")
      }
    }
  }

  private static func checkTerms(in line: some StringProtocol, _ place: String) {
    let line = line.lowercased()
    for (retired, term) in retiredTerms where line.hasBytes(of: retired) {
      Issue.record("\(place): \"\(retired)\"; \(term)")
    }
  }

  /// Words that were used before, and what replaced them. CONTRIBUTING.md has the terms with their meanings.
  private static let retiredTerms = [
    ("all systems", "all OS versions"), ("by system", "by OS version"), ("worth the same as", "effective sample size"),
    ("put together by", "grouped by cause"), ("names of code", "symbolicate"), ("goes without names", "symbolicate"),
    ("what it hits", "impact"), ("how many, by day", "name what is counted"), ("wait for data", "not enough data"),
    ("speaks up", "prints, sends"), ("thrown out", "evicted"), ("past its time", "expired"),
    ("sign of life", "watchdog ping"), ("time and again", "repeatedly"), ("for what has none", "nil if not set"),
    ("such ones", "repeat the noun"), ("the former", "repeat the noun"), ("hands over", "passes"),
    ("in silence", "without an error"), ("brings what", "includes"), ("stands with", "has"),
  ]

  @Test("a doc comment names only parameters and declarations that exist")
  func documentedNames() {
    let known = Set(tree.files.flatMap { $0.lines.flatMap { Self.declared(on: $0.code, Self.declarations) } })
    for file in tree.sources {
      let used = Set(file.lines.flatMap(\.code.identifiers))
      for line in file.lines where line.isDocumentation {
        for name in Self.parameterNames(in: line.comment ?? "") where !used.contains(name) && !known.contains(name) {
          Issue.record("\(file.path):\(line.number): `\(name)` is no parameter and no declaration; correct the comment")
        }
      }
    }
  }

  /// What a doc comment writes as `` `name`: `` at the beginning of a sentence, or as `- Parameter name:`.
  private static func parameterNames(in comment: Substring) -> [Substring] {
    var names: [Substring] = []
    let parts = comment.split(separator: "`", omittingEmptySubsequences: false)
    for index in parts.indices where index % 2 == 1 && index + 1 < parts.count {
      let before = parts[index - 1].reversed().drop { $0 == " " }.first
      let beginsSentence = before == nil || before == "." || before == ":"
      guard beginsSentence, parts[index + 1].hasPrefix(":"), parts[index].identifiers.count == 1,
        parts[index].identifiers[0].count == parts[index].count, parts[index].first?.isLowercase == true
      else { continue }
      names.append(parts[index])
    }
    let words = comment.split(separator: " ")
    if let at = words.firstIndex(of: "Parameter"), at + 1 < words.count {
      names.append(contentsOf: words[at + 1].identifiers.prefix(1))
    }
    return names
  }

  @Test("every declaration is used")
  func deadDeclarations() {
    var uses: [Substring: Int] = [:]
    for file in tree.files {
      for line in file.lines { for name in line.code.identifiers { uses[name, default: 0] += 1 } }
    }
    for file in tree.sources {
      for line in file.lines {
        for name in Self.declared(on: line.code, Self.declarations)
        where uses[name] == 1 && !Self.calledByOthers.contains(String(name)) {
          Issue.record("\(file.path):\(line.number): \(name) is used nowhere; remove it")
        }
      }
    }
  }

  /// Requirements of protocols that a library calls, and what the language calls without its name.
  private static let calledByOthers: Set = ["callAsFunction", "customMirror", "buildOptional", "buildArray"]

  private static let declarations = ["func", "var", "let", "struct", "class", "enum", "actor", "protocol", "typealias"]

  /// The names that a line of code declares with one of `keywords`.
  private static func declared(on code: Substring, _ keywords: [String]) -> [Substring] {
    let words = withoutTexts(code).identifiers
    return words.indices.dropLast().compactMap { index in
      guard keywords.contains(String(words[index])), words[index + 1] != "func", words[index + 1] != "var" else {
        return nil
      }
      return words[index + 1]
    }
  }

  /// `class` and `let` in a text declare nothing.
  private static func withoutTexts(_ code: Substring) -> Substring {
    guard code.utf8.contains(UInt8(ascii: "\"")) else { return code }
    let parts = code.split(separator: "\"", omittingEmptySubsequences: false)
    return Substring(parts.indices.filter { $0 % 2 == 0 }.map { parts[$0] }.joined(separator: " "))
  }
}
