import Testing

/// An element of a parsed page.
final class Element {
  enum Node {
    case text(String)
    case element(Element)
  }

  let name: String
  let attributes: [(name: String, value: String)]
  private(set) var children: [Node] = []
  private(set) weak var parent: Element?

  init(name: String, attributes: [(name: String, value: String)]) {
    self.name = name
    self.attributes = attributes
  }

  func append(_ node: Node) {
    children.append(node)
    if case .element(let element) = node { element.parent = self }
  }

  /// The value of an attribute; empty for a flag, nil where it is absent.
  subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

  var classes: [Substring] { (self["class"] ?? "").split(separator: " ") }

  /// The elements directly inside.
  var elements: [Element] {
    children.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  /// All elements inside, in the order of the page.
  var descendants: [Element] {
    var found: [Element] = []
    collect(&found)
    return found
  }

  private func collect(_ found: inout [Element]) {
    for element in elements {
      found.append(element)
      element.collect(&found)
    }
  }

  /// What a person reads inside: one space for any white space, no-break spaces included; the titles of drawings are
  /// left out, because they show on hover only.
  var text: String {
    var words = ""
    gather(&words)
    return words.split { $0 == " " || $0 == "\n" || $0 == "\u{A0}" }.joined(separator: " ")
  }

  private func gather(_ words: inout String) {
    for child in children {
      switch child {
      case .text(let text): words += text
      case .element(let element):
        if element.name == "title" || element.name == "desc" { continue }
        let isBlock = Self.blocks.contains(element.name)
        if isBlock { words += " " }
        element.gather(&words)
        if isBlock { words += " " }
      }
    }
  }

  private static let blocks: Set = [
    "p", "div", "li", "ul", "ol", "dt", "dd", "dl", "td", "th", "tr", "table", "caption", "h1", "h2", "h3", "section",
    "header", "footer", "summary", "details", "option", "figure", "figcaption", "pre", "article", "text",
  ]
}

extension Element {
  /// All elements inside that a selector chooses, in the order of the page. See `Selector`.
  func all(_ selector: String) -> [Element] {
    let selector = Selector(selector)
    return descendants.filter { selector.matches($0, within: self) }
  }

  /// The only element that a selector chooses; the test fails where there is another number of them.
  func one(_ selector: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
    let found = all(selector)
    try #require(found.count == 1, "\(selector) chooses \(found.count) elements", sourceLocation: sourceLocation)
    return found[0]
  }

  /// Whether a selector chooses anything.
  func has(_ selector: String) -> Bool { !all(selector).isEmpty }

  /// The texts of what a selector chooses.
  func texts(_ selector: String) -> [String] { all(selector).map(\.text) }

  /// Where the links that a selector chooses lead.
  func links(_ selector: String = "a") -> [String] { all(selector).compactMap { $0["href"] } }

  /// The section under a heading of the page.
  func section(_ heading: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
    let found = all("section").filter { section in
      section.elements.contains { ["h2", "h3"].contains($0.name) && $0.text == heading }
    }
    try #require(found.count == 1, "\(found.count) sections are called \(heading)", sourceLocation: sourceLocation)
    return found[0]
  }

  /// The cards by their headings, in the order of the page.
  func card(_ heading: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
    let found = all(".card").filter { card in card.all("h2, h3").contains { $0.text == heading } }
    try #require(found.count == 1, "\(found.count) cards are called \(heading)", sourceLocation: sourceLocation)
    return found[0]
  }

  /// The table whose caption begins so.
  func table(_ caption: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws -> PageTable {
    let found = all("table").filter { $0.elements.first?.text.hasPrefix(caption) ?? false }
    try #require(found.count == 1, "\(found.count) tables begin with \(caption)", sourceLocation: sourceLocation)
    return PageTable(found[0])
  }

  /// The facts of the lists of names and values inside: `Since`, `Release`.
  var facts: [String: String] {
    let terms = all("dl dt").map { term -> (String, String) in
      let siblings = term.parent?.elements ?? []
      let index = siblings.firstIndex { $0 === term } ?? 0
      return (term.text, siblings.indices.contains(index + 1) ? siblings[index + 1].text : "")
    }
    return Dictionary(terms) { first, _ in first }
  }
}
