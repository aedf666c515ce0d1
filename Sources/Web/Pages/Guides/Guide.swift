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
