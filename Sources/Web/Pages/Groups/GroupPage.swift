public import Analysis
public import Core

/// One group of diagnostics.
public enum GroupPage: AppPageDefinition {
  /// The group, and the id of the flame graph's node to draw at full width.
  public typealias Model = (group: GroupDetail, focus: String?)

  public static let path: PathPattern = "apps/{app}/groups/{group}"
  public static let parent: (any PageAddress.Type)? = GroupsPage.self
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint(
      .init(
        "getGroup", "One group",
        "A group's kind, impact, rate by release and code. CSV has one row per full sample or, with `table=parts`, one "
          + "row per release."),
      parameters: [.table], isJudged: false
    ) { try load($0)?.group },
    endpoint(
      .init(
        "explainGroup", "One group as a document",
        "What is known about a group in one document of Markdown, for a person or an agent: impact, stack, what changed, "
          + "releases and devices, samples and similar groups."),
      at: "apps/{app}/groups/{group}/explain", parameters: [.tokens], isJudged: false
    ) { question in
      let tokens = try question.request.tokens()
      return try question.groups().explanation(
        question.app, named: question.name, question.unlabelled, now: question.now
      ).map { GroupContext($0, tokens: tokens) }
    },
  ]

  public static func load(_ question: AppQuestion) throws -> Model? {
    let (groups, focus) = (try question.groups(), try question.request.focus())
    return try groups.group(question.app, named: question.name, question.unlabelled, now: question.now)
      .map { ($0, focus) }
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    GroupView.render(model.group, focus: model.focus, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { model.group }
}
