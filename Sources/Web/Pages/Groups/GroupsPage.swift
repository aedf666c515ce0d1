public import Analysis
public import Core

/// The page that lists crashes, hangs and other diagnostics, grouped by cause.
public enum GroupsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/groups"
  public static let navigationTitle: String? = "Crashes and hangs"
  /// The groups, and the requested kind; without one, the page shows the first kind that occurs.
  public typealias Model = (list: GroupList, asked: DiagnosticKind?)

  public static let filters = FilterPart.slice
  public static let fileParameters = ["kind"]
  public static let endpoints = [
    endpoint(
      .init(
        "listGroups", "Crashes and hangs grouped by cause",
        "Groups of diagnostics, most diagnostics first. Without `kind`, all kinds are listed; shares of one kind have "
          + "the same denominator. CSV has one row per group."),
      parameters: [.kind, .groupLimit], isJudged: false
    ) { question in
      let most = Int64(GroupList.most)
      let limit = Int(try question.request.number("limit", atMost: most) ?? most)
      return try list(question, isOfOneKind: false, limit: limit)
    }
  ]

  public static func load(_ question: AppQuestion) throws -> Model? {
    let list = try list(question, isOfOneKind: true, limit: GroupList.most)
    return (list, try question.request.diagnosticKind())
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    // Links in an exported file are relative to its name, which may have no kind.
    let page = context.linkStyle == .files ? Page.groups(app: model.list.app, kind: model.asked?.name) : nil
    return GroupsView.render(model.list, at: page, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { model.list }

  public static func linkedPages(_ model: Model, _ request: PageRequest) -> [Page] {
    let list = model.list
    let kinds = (list.kinds.map(\.kind) + [list.kind].compactMap { $0 }).map(\.name)
    return kinds.map { .groups(app: list.app, kind: $0) } + list.groups.map { .group(app: list.app, id: $0.id) }
  }

  private static func list(_ question: AppQuestion, isOfOneKind: Bool, limit: Int) throws -> GroupList {
    try question.groups().groups(
      question.app, question.unlabelled, kind: question.request.diagnosticKind(), isOfOneKind: isOfOneKind,
      hasRates: true, limit: limit, now: question.now)
  }
}

extension Page {
  /// The groups of one kind; of all kinds if it is nil.
  static func groups(app: String, kind: String?) -> Page { Page(GroupsPage.self, [app], [("kind", kind)]) }

  public static func group(app: String, id: String) -> Page { Page(GroupPage.self, [app, id]) }

  /// The page of a group with one function of its flame graph at full width.
  static func groupFocus(app: String, id: String, node: String) -> Page {
    Page(GroupPage.self, [app, id], [("focus", node)])
  }
}
