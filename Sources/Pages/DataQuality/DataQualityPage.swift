public import Health

/// What became of everything that was sent.
public enum DataQualityPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/data-quality"
  public static let navigationTitle: String? = "Data quality"
  public static let filters = FilterPart.window
  public static let endpoints = [endpoint(isJudged: false)]

  public static func load(_ question: AppQuestion) throws -> DataQuality? {
    try question.health.dataQuality(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: DataQuality, _ context: PageContext) -> [UInt8] {
    DataQualityView.render(model, context)
  }

  public static func data(_ model: DataQuality) -> PageData? { .table(model) }
}

extension Page {
  public static func dataQuality(app: String) -> Page { Page(DataQualityPage.self, [app]) }
}
