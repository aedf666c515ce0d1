public import Health
import Telemetry

/// The page that lists groups of crashes, hangs and other diagnostics with a common cause.
public enum GroupsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/groups"
  public static let navigationTitle: String? = "Crashes and hangs"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint(parameters: ["kind", "limit"], isJudged: false) { question in
      let most = Int64(GroupList.most)
      let limit = Int(try question.request.number("limit", atMost: most) ?? most)
      return .table(try list(question, limit: limit))
    }
  ]

  public static func load(_ question: AppQuestion) throws -> GroupList? { try list(question, limit: GroupList.most) }

  public static func view(_ model: GroupList, _ context: PageContext) -> [UInt8] { GroupsView.render(model, context) }

  public static func data(_ model: GroupList) -> PageData? { .table(model) }

  public static func linkedPages(_ model: GroupList, _ request: PageRequest) -> [Page] {
    model.groups.map { .group(app: model.app, id: $0.id) }
  }

  private static func list(_ question: AppQuestion, limit: Int) throws -> GroupList {
    let kind = try question.request.diagnosticKind()
    return try question.groups().groups(
      question.app, question.unlabelled, kind: kind, limit: limit, now: question.now)
  }
}

/// One group of diagnostics.
public enum GroupPage: AppPageDefinition {
  /// The group, and the id of the flame graph's node that is drawn over the full width.
  public typealias Model = (group: GroupDetail, focus: String?)

  public static let path: PathPattern = "apps/{app}/groups/{group}"
  public static let parent: (any PageAddress.Type)? = GroupsPage.self
  public static let filters = FilterPart.slice
  public static let endpoints = [endpoint(isJudged: false)]

  public static func load(_ question: AppQuestion) throws -> Model? {
    let groups = try question.groups()
    return try groups.group(question.app, named: question.name, question.unlabelled, now: question.now)
      .map { ($0, question.request.parameter("focus")) }
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    GroupView.render(model.group, focus: model.focus, context)
  }

  public static func data(_ model: Model) -> PageData? { .table(model.group) }
}

extension Page {
  /// The groups of one kind; of all kinds if it is nil.
  public static func groups(app: String, kind: String?) -> Page { Page(GroupsPage.self, [app], [("kind", kind)]) }

  public static func group(app: String, id: String) -> Page { Page(GroupPage.self, [app, id]) }

  /// The page of a group with one function of its flame graph over the full width.
  public static func groupFocus(app: String, id: String, node: String) -> Page {
    Page(GroupPage.self, [app, id], [("focus", node)])
  }
}
