import GuideTexts

/// Every guide, read once.
enum GuideLibrary {
  static let all: [Guide] = GuideTexts.all.map { GuideParser.guide($0.family, $0.markdown) }

  /// The guide of a family; nil when there is none.
  static func guide(_ family: String) -> Guide? { byFamily[family] }

  private static let byFamily = Dictionary(all.map { ($0.family, $0) }, uniquingKeysWith: { first, _ in first })
}
