/// A document of Markdown for a person or an agent, within a budget of tokens.
///
/// Each section has sentences of Plumb's own, and lines with text from outside, which are fenced as data. If the budget
/// is too small, lines of the less important sections are left out first, and the section says how many.
public struct ContextDocument: Sendable {
  /// A part of the document under its own heading.
  public struct Section: Sendable {
    var heading: String
    /// Sentences without any text from outside.
    var text: [String]
    /// Lines that may have text from outside, the most important first.
    var data: [String]
    /// Its place when room is given out: 1 is first.
    var rank: Int

    public init(_ heading: String, rank: Int, text: [String] = [], data: [String] = []) {
      (self.heading, self.rank, self.text) = (heading, rank, text)
      self.data = data.map(DataFence.line)
    }
  }

  /// The result of rendering.
  public struct Rendered: Sendable, Equatable {
    public var markdown: String
    /// The tokens that the document has at most, by `bytesPerToken`.
    public var tokens: Int
    /// The number of lines that were left out.
    public var leftOut: Int
  }

  /// The bytes of UTF-8 that count as one token. Models' tokenizers need about four for English and three for code, so
  /// a document rarely has more tokens than counted.
  public static let bytesPerToken = 3
  /// The fewest tokens that every document fits in without its data.
  public static let leastTokens = 1_500
  /// The budget of a document, unless the caller asks for less.
  public static let mostTokens = 8_000

  private let sections: [Section]

  public init(_ sections: [Section]) { self.sections = sections }

  /// The document with at most `tokens` tokens.
  public func rendered(tokens: Int) -> Rendered {
    // Headings, sentences, fences and the sentence about missing lines are always there.
    let frame = sections.reduce(0) { $0 + Self.write($1, shown: 0, isReserved: true).utf8.count }
    var free = tokens * Self.bytesPerToken - frame
    var shown = [Int](repeating: 0, count: sections.count)
    for index in sections.indices.sorted(by: { (sections[$0].rank, $0) < (sections[$1].rank, $1) }) {
      for line in sections[index].data {
        guard line.utf8.count + 1 <= free else { break }
        free -= line.utf8.count + 1
        shown[index] += 1
      }
    }
    let markdown = String(zip(sections, shown).map { Self.write($0, shown: $1) }.joined().dropLast())
    let leftOut = zip(sections, shown).reduce(0) { $0 + $1.0.data.count - $1.1 }
    return Rendered(
      markdown: markdown, tokens: (markdown.utf8.count + Self.bytesPerToken - 1) / Self.bytesPerToken, leftOut: leftOut)
  }

  /// `isReserved`: writes the longest frame that the section can have.
  private static func write(_ section: Section, shown: Int, isReserved: Bool = false) -> String {
    var text = "\(section.heading)\n\n"
    for sentence in section.text { text += "\(sentence)\n\n" }
    guard !section.data.isEmpty else { return text }
    if shown > 0 || isReserved {
      let lines = section.data.prefix(shown)
      let fence = DataFence.fence(around: isReserved ? section.data : Array(lines))
      text += "\(DataFence.notice)\n\n\(fence)text\n\(lines.map { $0 + "\n" }.joined())\(fence)\n\n"
    }
    let missing = section.data.count - shown
    if missing > 0 || isReserved { text += "\(missing) more \(missing == 1 ? "line" : "lines") left out: no room.\n\n" }
    return text
  }
}
