import GuideTexts

/// What is known about fixing one family of metrics.
struct Guide: Sendable {
  /// `launch`
  var family: String
  /// `Launch`
  var title: String
  /// What stands before the first section: the target.
  var opening: [GuideBlock]
  var sections: [Section]

  /// A heading and what stands below it.
  struct Section: Sendable {
    var heading: String
    var blocks: [GuideBlock]
  }

  /// The first paragraph of the section that is called so.
  func paragraph(_ heading: String) -> String? {
    sections.first { $0.heading == heading }?.blocks.lazy.compactMap { block in
      if case .paragraph(let text) = block { text } else { nil }
    }.first
  }

  /// The usual causes, in the order to check them.
  var causes: [String] {
    sections.lazy.flatMap(\.blocks).compactMap { block in
      if case .steps(let items) = block { items } else { nil }
    }.first ?? []
  }
}

/// A piece of a guide. Its text may hold `code`, **strong** words and [links](launch.md).
enum GuideBlock: Sendable, Equatable {
  case paragraph(String)
  /// Numbered.
  case steps([String])
  case list([String])
}

/// Every guide, read once.
enum GuideLibrary {
  static let all: [Guide] = GuideTexts.all.map { GuideParser.guide($0.family, $0.markdown) }

  /// The guide of a family; nil when there is none.
  static func guide(_ family: String) -> Guide? { byFamily[family] }

  private static let byFamily = Dictionary(all.map { ($0.family, $0) }, uniquingKeysWith: { first, _ in first })
}
