public import Health
public import Storage

/// How an app sends its payloads, and whether they arrive.
public enum SetupPage: AppPageDefinition {
  /// The keys are those of the app; a static export has none, because copies go anywhere.
  public typealias Model = (setup: SetupModel, app: App, keys: [IngestKey])

  public static let path: PathPattern = "apps/{app}/setup"
  public static let navigationTitle: String? = "Setup"
  public static let endpoints = [endpoint(hasTable: false, isJudged: false)]
  public static let holdsSecrets = true

  public static func load(_ question: AppQuestion) throws -> Model? {
    let setup = try question.health.setupPage(question.app, now: question.now)
    return (setup, question.app, question.request.isExport ? [] : question.app.keys)
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    SetupView.render(model.setup, app: model.app, keys: model.keys, context)
  }

  public static func data(_ model: Model) -> PageData? { .json { model.setup.json() } }

  public static func isLasting(_ model: Model) -> Bool { model.setup.hasReceived }
}

extension Page {
  public static func setup(app: String) -> Page { Page(SetupPage.self, [app]) }
}
