/// Parses the subset of Markdown that the guides use: one title, sections, paragraphs and lists.
struct GuideParser {
  private var title = ""
  private var opening: [GuideBlock] = []
  private var sections: [Guide.Section] = []
  private var block: GuideBlock?

  static func guide(_ family: String, _ markdown: String) -> Guide {
    var parser = GuideParser()
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) { parser.read(line) }
    parser.finish()
    return Guide(family: family, title: parser.title, opening: parser.opening, sections: parser.sections)
  }

  private mutating func read(_ line: Substring) {
    if line.hasPrefix("# ") {
      title = String(line.dropFirst(2))
    } else if line.hasPrefix("## ") {
      finish()
      sections.append(Guide.Section(heading: String(line.dropFirst(3)), blocks: []))
    } else if line.isEmpty {
      finish()
    } else if line.hasPrefix("- ") {
      add(item: String(line.dropFirst(2)), isStep: false)
    } else if let end = line.firstRange(of: ". "), line[..<end.lowerBound].allSatisfy(\.isNumber) {
      add(item: String(line[end.upperBound...]), isStep: true)
    } else {
      goOn(String(line.drop { $0 == " " }))
    }
  }

  private mutating func add(item: String, isStep: Bool) {
    switch block {
    case .steps(let items) where isStep: block = .steps(items + [item])
    case .list(let items) where !isStep: block = .list(items + [item])
    default:
      finish()
      block = isStep ? .steps([item]) : .list([item])
    }
  }

  /// Appends a line to the paragraph or list item before it.
  private mutating func goOn(_ text: String) {
    func longer(_ items: [String]) -> [String] { items.dropLast() + [(items.last ?? "") + " " + text] }
    switch block {
    case .paragraph(let start): block = .paragraph(start + " " + text)
    case .steps(let items): block = .steps(longer(items))
    case .list(let items): block = .list(longer(items))
    case nil: block = .paragraph(text)
    }
  }

  private mutating func finish() {
    guard let block else { return }
    self.block = nil
    if sections.isEmpty { opening.append(block) } else { sections[sections.count - 1].blocks.append(block) }
  }
}
