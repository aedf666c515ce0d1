import Core

/// Advice on improving one family of metrics.
struct Guide: Sendable {
  /// The name of the family: `launch`.
  var family: String
  /// The title: `Launch`.
  var title: String
  /// The blocks before the first section: the target.
  var opening: [GuideBlock]
  var sections: [Section]

  /// A heading and the blocks below it.
  struct Section: Sendable {
    var heading: String
    var blocks: [GuideBlock]
  }

  /// The first paragraph of the section with this heading; nil if there is none.
  func paragraph(_ heading: String) -> String? {
    sections.first { $0.heading == heading }?.blocks.lazy.compactMap { block in
      if case .paragraph(let text) = block { text } else { nil }
    }.first
  }

  /// The usual causes, in the order in which to check them.
  var causes: [String] {
    sections.lazy.flatMap(\.blocks).compactMap { block in
      if case .steps(let items) = block { items } else { nil }
    }.first ?? []
  }
}

/// A block of a guide. Its text may contain `code`, **strong** words and [links](launch.md).
enum GuideBlock: Sendable, Equatable {
  case paragraph(String)
  /// A numbered list.
  case steps([String])
  case list([String])
}

/// All guides, parsed once.
enum GuideLibrary {
  static let all: [Guide] = GuideTexts.all.map { GuideParser.guide($0.family, $0.markdown) }

  /// The guide for a family of metrics; nil if there is none.
  static func guide(_ family: String) -> Guide? { byFamily[family] }

  private static let byFamily = Dictionary(all.map { ($0.family, $0) }, uniquingKeysWith: { first, _ in first })
}

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

/// Text of a guide with `code`, **strong** words and links to other guides.
struct GuideText: Markup {
  var text: String
  var links: Links

  func write(to html: inout HTMLWriter) {
    var rest = text[...]
    while let start = rest.firstIndex(where: { "`*[".contains($0) }) {
      html.text(String(rest[..<start]))
      rest = rest[start...]
      rest = code(rest, &html) ?? strong(rest, &html) ?? link(rest, &html) ?? plain(rest, &html)
    }
    html.text(String(rest))
  }

  private func code(_ text: Substring, _ html: inout HTMLWriter) -> Substring? {
    guard text.hasPrefix("`"), let end = text.dropFirst().firstIndex(of: "`") else { return nil }
    html.element("code", text: String(text[..<end].dropFirst()))
    return text[text.index(after: end)...]
  }

  private func strong(_ text: Substring, _ html: inout HTMLWriter) -> Substring? {
    guard text.hasPrefix("**"), let end = text.dropFirst(2).firstRange(of: "**") else { return nil }
    html.element("strong", text: String(text[..<end.lowerBound].dropFirst(2)))
    return text[end.upperBound...]
  }

  private func link(_ text: Substring, _ html: inout HTMLWriter) -> Substring? {
    guard text.hasPrefix("["), let middle = text.firstRange(of: "]("),
      let end = text[middle.upperBound...].firstIndex(of: ")")
    else { return nil }
    let words = String(text[..<middle.lowerBound].dropFirst())
    let target = text[middle.upperBound..<end]
    let family = String(target.prefix { $0 != "." })
    if GuideLibrary.guide(family) != nil {
      html.element("a", .href(links.href(.guide(family))), text: words)
    } else {
      html.text(words)
    }
    return text[text.index(after: end)...]
  }

  private func plain(_ text: Substring, _ html: inout HTMLWriter) -> Substring {
    html.text(String(text.prefix(1)))
    return text.dropFirst()
  }
}
