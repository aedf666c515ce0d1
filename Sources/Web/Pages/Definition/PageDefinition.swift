import Analysis
public import Core

/// An address of the site, and its place in the navigation.
public protocol PageAddress: Sendable {
  /// The path on the server.
  static var path: PathPattern { get }
  /// The file of a static export, without its extension; by default equal to `path`.
  static var file: PathPattern { get }
  /// Query parameters that become folders in the path of the exported file.
  static var fileParameters: [String] { get }
  /// The page above this one in the breadcrumbs; nil for the first page. Its arguments are the first of this page's.
  static var parent: (any PageAddress.Type)? { get }
  /// The title in the navigation of an app; nil for a page that is not listed there.
  static var navigationTitle: String? { get }
  static func breadcrumb(_ page: Page) -> String
  /// The filters that apply to the page's numbers.
  static var filters: [FilterPart] { get }
  /// Whether the page is about the newest release in use unless its filter selects another one or all.
  static var judgesByDefault: Bool { get }
  /// The routes of the page's data below `/api/v1`. The first has the data that the page itself shows.
  static var endpoints: [DataEndpoint] { get }
  /// The formats that the page links to, and that a static export writes.
  static var dataFormats: [Page.DataFormat] { get }
}

/// A page, declared once: the router, the JSON API, the static export, navigation, breadcrumbs and links are all
/// derived from these members. `PageList.all` lists every definition.
///
///     enum ExitsPage: AppPageDefinition {
///       static let path: PathPattern = "apps/{app}/exits"
///       static let navigationTitle: String? = "Exits"
///       static let filters = FilterPart.slice
///       static let endpoints = [
///         endpoint(.init("getExits", "Exits", "Why iOS ended the app."), parameters: [.step, .table])
///       ]
///       static func load(_ question: AppQuestion) throws -> ExitsModel? { … }
///       static func view(_ model: ExitsModel, _ context: PageContext) -> [UInt8] { … }
///     }
public protocol PageDefinition: PageAddress {
  /// The values that the page shows. `view` has no access to a reader or a store.
  associatedtype Model
  /// Reads the model; nil if there is nothing at the address.
  static func load(_ request: PageRequest) throws -> Model?
  /// The page as UTF-8.
  static func view(_ model: Model, _ context: PageContext) -> [UInt8]
  /// The page's numbers: by default the model, if it is an object of the API; nil for a page without any.
  static func data(_ model: Model) -> (any APIObject)?
  /// The HTTP status of the page: 200, or 400 if it says why what was asked for is impossible.
  static func status(_ model: Model) -> Int
  /// Whether the page may be cached; false for a page that waits for data.
  static func isLasting(_ model: Model) -> Bool
  /// Whether the page shows ingest keys. Such a page is not compressed, because the compressed length would reveal them
  /// letter by letter (BREACH).
  static var holdsSecrets: Bool { get }
  /// The page at the same address with the parameter `wall`; nil if there is none.
  static var wall: (any PageDefinition.Type)? { get }
  /// Further pages that this one links to. A static export also writes these.
  static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page]
  /// Reads the model, and the context for its view.
  static func answer(_ request: PageRequest, _ context: PageContext) throws -> (model: Model, context: PageContext)?
}

extension PageAddress {
  public static var file: PathPattern { path }
  public static var fileParameters: [String] { [] }
  public static var parent: (any PageAddress.Type)? { OverviewPage.self }
  public static var navigationTitle: String? { nil }
  public static func breadcrumb(_ page: Page) -> String { navigationTitle ?? page.arguments.last ?? "" }
  public static var filters: [FilterPart] { [] }
  public static var judgesByDefault: Bool { false }
  public static var endpoints: [DataEndpoint] { [] }
  public static var dataFormats: [Page.DataFormat] {
    endpoints.first.map { $0.tables == nil ? [.json] : [.json, .csv] } ?? []
  }

  /// Whether the address begins with an app.
  public static var isOfApp: Bool { path.description.hasPrefix("apps/{app}") }
}

extension PageDefinition {
  public static func data(_ model: Model) -> (any APIObject)? { model as? any APIObject }
  public static func status(_ model: Model) -> Int { 200 }
  public static func isLasting(_ model: Model) -> Bool { status(model) == 200 }
  public static var holdsSecrets: Bool { false }
  public static var wall: (any PageDefinition.Type)? { nil }
  public static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page] { [] }

  public static func answer(
    _ request: PageRequest, _ context: PageContext
  ) throws -> (model: Model, context: PageContext)? {
    try load(request).map { ($0, context) }
  }
}

extension PageDefinition where Model: APIObject {
  /// The route whose data is the page's own model.
  static func modelEndpoint(_ words: DataEndpoint.Words, at path: PathPattern? = nil) -> DataEndpoint {
    DataEndpoint(path ?? self.path, words, parameters: filters.map(\.parameter), answer: Model.self) {
      try load($0).map { .object($0) }
    }
  }
}

/// A page of one app. Its context has the app's filters and the values they offer.
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
    // Static files have no filter form.
    if context.linkStyle == .served {
      question.choices = try question.health.filterChoices(question.app, question.query, now: question.now)
      context.choices = question.choices
    }
    return try load(question).map { ($0, context) }
  }

  /// A route of the page's data.
  ///
  /// - Parameters:
  ///   - words: how `openapi.json` describes it.
  ///   - path: the path below `/api/v1`; by default the page's own.
  ///   - leading: query parameters before the filters.
  ///   - filters: the supported filters; by default those of the page.
  ///   - parameters: query parameters after the filters.
  ///   - isJudged: whether the data contains verdicts; it is then refused while the app's budget file has an error.
  static func endpoint<Answer: APIObject>(
    _ words: DataEndpoint.Words, at path: PathPattern? = nil, leading: [APIParameter] = [],
    filters: [FilterPart]? = nil, parameters: [APIParameter] = [], isJudged: Bool = true,
    read: @escaping @Sendable (AppQuestion) throws -> Answer?
  ) -> DataEndpoint {
    let filters = filters ?? self.filters
    return DataEndpoint(
      path ?? self.path, words, parameters: leading + filters.map(\.parameter) + parameters, answer: Answer.self,
      isContradictable: isJudged || filters.contains(.from)
    ) { request in
      guard let question = try AppQuestion(request) else { return nil }
      if isJudged, let error = question.health.budgetError {
        throw InvalidQuery(
          detail: "Nothing can be judged, because the app's budget file has an error: \(error)", isReadable: true)
      }
      return try read(question).map { .object($0) }
    }
  }
}

extension AppPageDefinition where Model: APIObject {
  /// The route whose data is the page's own model.
  static func endpoint(
    _ words: DataEndpoint.Words, at path: PathPattern? = nil, parameters: [APIParameter] = [], isJudged: Bool = true
  ) -> DataEndpoint {
    endpoint(words, at: path, parameters: parameters, isJudged: isJudged) { try load($0) }
  }
}
