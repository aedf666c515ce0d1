import Health

/// Where something of the site is, and how other pages lead to it.
public protocol PageAddress: Sendable {
  /// Where the server answers.
  static var path: PathPattern { get }
  /// Where a static export keeps it, without the ending. The path, unless another is named.
  static var file: PathPattern { get }
  /// Query parameters that become folders of the exported file's name.
  static var fileParameters: [String] { get }
  /// The page above this one in the breadcrumbs; nil for the first page. Its arguments are the first ones of this page.
  static var parent: (any PageAddress.Type)? { get }
  /// The title in the navigation of an app; nil for a page that is not listed there.
  static var navigationTitle: String? { get }
  static func breadcrumb(_ page: Page) -> String
  /// What narrows the numbers of the page.
  static var filters: [FilterPart] { get }
  /// The addresses of the page's data below `/api/v1`. The first has what the page itself shows.
  static var endpoints: [DataEndpoint] { get }
  /// The formats that the page links to, and that a static export writes.
  static var dataFormats: [Page.DataFormat] { get }
}

/// A page, declared once: the router, the JSON API, the static export, navigation, breadcrumbs and links are all made of
/// these members. `PageList.all` lists every definition.
///
///     enum ExitsPage: AppPageDefinition {
///       static let path: PathPattern = "apps/{app}/exits"
///       static let navigationTitle: String? = "Exits"
///       static let filters = FilterPart.slice
///       static let endpoints = [endpoint(parameters: ["step", "table"])]
///       static func load(_ question: AppQuestion) throws -> ExitsModel? { … }
///       static func view(_ model: ExitsModel, _ context: PageContext) -> [UInt8] { … }
///       static func data(_ model: ExitsModel) -> PageData? { .table(model) }
///     }
public protocol PageDefinition: PageAddress {
  /// What the page shows: values, never a reader. `view` gets nothing else.
  associatedtype Model
  /// Reads the model; nil if there is nothing at the address.
  static func load(_ request: PageRequest) throws -> Model?
  /// The page as UTF-8.
  static func view(_ model: Model, _ context: PageContext) -> [UInt8]
  /// The page's numbers; nil for a page without any.
  static func data(_ model: Model) -> PageData?
  /// False for a page that waits for something: it is made anew each time.
  static func isLasting(_ model: Model) -> Bool
  /// Whether the page shows keys. It is not compressed then: the compressed length would give them away letter by letter
  /// (BREACH).
  static var holdsSecrets: Bool { get }
  /// Further pages that this one links to by name. A static export writes them, too.
  static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page]
  /// The model and the context that its view gets.
  static func answer(_ request: PageRequest, _ context: PageContext) throws -> (model: Model, context: PageContext)?
}

extension PageAddress {
  public static var file: PathPattern { path }
  public static var fileParameters: [String] { [] }
  public static var parent: (any PageAddress.Type)? { OverviewPage.self }
  public static var navigationTitle: String? { nil }
  public static func breadcrumb(_ page: Page) -> String { navigationTitle ?? page.arguments.last ?? "" }
  public static var filters: [FilterPart] { [] }
  public static var endpoints: [DataEndpoint] { [] }
  public static var dataFormats: [Page.DataFormat] {
    endpoints.first.map { $0.hasTable ? [.json, .csv] : [.json] } ?? []
  }

  static var isOfApp: Bool { path.description.hasPrefix("apps/{app}") }
}

extension PageDefinition {
  public static func data(_ model: Model) -> PageData? { nil }
  public static func isLasting(_ model: Model) -> Bool { true }
  public static var holdsSecrets: Bool { false }
  public static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page] { [] }

  public static func answer(
    _ request: PageRequest, _ context: PageContext
  ) throws -> (model: Model, context: PageContext)? {
    try load(request).map { ($0, context) }
  }

  /// The address whose data is the page's own model.
  static func modelEndpoint(_ path: PathPattern? = nil, hasTable: Bool) -> DataEndpoint {
    DataEndpoint(path ?? self.path, parameters: filters.map(\.name), hasTable: hasTable) {
      try load($0).flatMap(data)
    }
  }
}

/// A page of one app. Its context gets the app's filters and their choices.
public protocol AppPageDefinition: PageDefinition {
  /// Reads the model; nil if there is nothing at the address.
  static func load(_ question: AppQuestion) throws -> Model?
}

extension AppPageDefinition {
  public static var parent: (any PageAddress.Type)? { AppPage.self }

  public static func load(_ request: PageRequest) throws -> Model? {
    try AppQuestion(request).flatMap { try load($0) }
  }

  public static func answer(
    _ request: PageRequest, _ context: PageContext
  ) throws -> (model: Model, context: PageContext)? {
    guard var question = try AppQuestion(request) else { return nil }
    var context = context
    context.filter = question.query
    context.budgetError = question.health.budgetError
    // Files have no form that could ask.
    if context.linkStyle == .served {
      question.choices = try question.health.filterChoices(question.app, question.query, now: question.now)
      context.choices = question.choices
    }
    return try load(question).map { ($0, context) }
  }

  /// An address of the page's data. Without `read`, it answers with the page's own model.
  ///
  /// - Parameters:
  ///   - path: Below `/api/v1`; the page's own, unless another is named.
  ///   - leading: Query parameters before the filters.
  ///   - filters: The filters that it knows; those of the page, unless others are named.
  ///   - parameters: Query parameters behind the filters.
  ///   - isJudged: It holds verdicts, and is refused while the app's budget file has an error.
  static func endpoint(
    _ path: PathPattern? = nil, leading: [String] = [], filters: [FilterPart]? = nil, parameters: [String] = [],
    hasTable: Bool = true, isJudged: Bool = true,
    read: @escaping @Sendable (AppQuestion) throws -> PageData? = { try load($0).flatMap(data) }
  ) -> DataEndpoint {
    let names = leading + (filters ?? self.filters).map(\.name) + parameters
    return DataEndpoint(path ?? self.path, parameters: names, hasTable: hasTable) { request in
      guard let question = try AppQuestion(request) else { return nil }
      if isJudged, let error = question.health.budgetError {
        throw InvalidQuery(
          detail: "Nothing can be judged, because the app's budget file has an error: \(error)", isReadable: true)
      }
      return try read(question)
    }
  }
}
