public import Analysis
public import Core
import Storage

/// The page that compares two releases, or two groups by one of the app's attributes. By default it compares the newest adopted
/// release with the previous one.
public enum ComparePage: AppPageDefinition {
  public enum Model {
    /// `code`: what changed in the code of each kind of diagnostics; `focus`: the id of a function to draw at full
    /// width.
    case comparison(ReleaseComparison, code: [CodeChanges], focus: String?)
    /// There is nothing to compare. `why`: the reason as a sentence; `base` and `head`: the requested releases.
    case impossible(app: String, why: String, base: String?, head: String?, asOf: Timestamp)
  }

  public static let path: PathPattern = "apps/{app}/compare"
  public static let fileParameters = ["base", "head"]
  public static let navigationTitle: String? = "Compare"
  public static let filters: [FilterPart] =
    FilterPart.window + [
      .environment, .release, .os, .deviceClass, .device, .attribute, .label,
    ]
  public static let endpoints = [
    endpoint(
      .init(
        "compareReleases", "What is better or worse in one release than in another",
        "Filters apply to both releases. `metrics` lists the most severe change first. `labels` compares the screens, "
          + "hosts and views of labelled metrics over `labels_window`, with a separate false discovery rate; for CSV, "
          + "use `table=parts`. For values of an attribute, `sample_ratio` checks how users were divided. 409 if a "
          + "release is unknown, both are the same, or no day has data of both."),
      leading: [.base, .head], parameters: [.split, .table]
    ) { question in
      do {
        return try chosen(question, question.query)
      } catch let error as ImpossibleComparison {
        throw InvalidQuery(detail: error.description, isReadable: true)
      }
    },
    endpoint(
      .init(
        "compareCode", "What changed in the code behind hangs, CPU exceptions and disk writes",
        "Compares the stored call trees of two releases, or of two values of an attribute, function by function. CSV has "
          + "one row per change. 409 as for the comparison."),
      at: "apps/{app}/compare/code", leading: [.base, .head], isJudged: false
    ) { question in
      do {
        let comparison = try chosen(question, question.query, isWhole: false)
        return CodeComparison(
          app: comparison.app, base: comparison.base, head: comparison.head, window: comparison.window,
          kinds: try code(of: comparison, question))
      } catch let error as ImpossibleComparison {
        throw InvalidQuery(detail: error.description, isReadable: true)
      }
    },
  ]
  public static func breadcrumb(_ page: Page) -> String {
    guard let base = page.parameter("base"), let head = page.parameter("head") else { return "Compare" }
    return "\(head) against \(base)"
  }

  public static func load(_ question: AppQuestion) throws -> Model? {
    let (base, head) = (question.request.parameter("base"), question.request.parameter("head"))
    do {
      if base != nil || head != nil {
        let areGroups = [base, head].allSatisfy { $0.flatMap { AttributeFilter($0) } != nil }
        return try comparison(chosen(question, filters(question, ofGroups: areGroups)), question)
      }
      return try newest(question)
    } catch let error as ImpossibleComparison {
      return impossible("\(error).", question, base: base, head: head)
    }
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    switch model {
    case .comparison(let comparison, let code, let focus):
      // The exported file for the newest two releases has no releases in its name.
      let page = context.linkStyle == .files ? Page.newest(app: comparison.app) : nil
      return CompareView.render(comparison, code: code, focus: focus, context, at: page)
    case .impossible(let app, let why, let base, let head, let asOf):
      return ImpossibleComparisonView.render(app: app, why: why, base: base, head: head, asOf: asOf, context)
    }
  }

  public static func status(_ model: Model) -> Int {
    // Without releases in the request, there is merely nothing to compare yet.
    if case .impossible(_, _, let base, let head, _) = model, base != nil || head != nil { 400 } else { 200 }
  }

  public static func data(_ model: Model) -> (any APIObject)? {
    if case .comparison(let comparison, _, _) = model { comparison } else { nil }
  }

  public static func linkedPages(_ model: Model, _ request: PageRequest) -> [Page] {
    guard case .comparison(let comparison, _, _) = model else { return [] }
    return SentenceWords.unique((comparison.metrics + comparison.labels).map(\.name))
      .map { .metric(app: comparison.app, name: $0) }
  }

  /// The page's filters without the one that differs between the two sides. Pages ignore that filter but keep it for
  /// the next page; the API refuses it, because the answer would not match the request.
  private static func filters(_ question: AppQuestion, ofGroups: Bool) -> ReportQuery {
    var query = question.query
    if ofGroups {
      query.attribute = nil
    } else {
      (query.release, query.isWholeApp) = (nil, false)
    }
    return query
  }

  /// Compares the requested sides. `isWhole`: whether labels and causes are needed, too.
  private static func chosen(
    _ question: AppQuestion, _ query: ReportQuery, isWhole: Bool = true
  ) throws -> ReleaseComparison {
    func release(_ name: String) throws -> String {
      if let release = question.request.parameter(name), !release.isEmpty { return release }
      throw InvalidQuery(detail: "\(name): expected a release such as 4.2.0, found no value", parameter: name)
    }
    return try question.health.compare(
      question.app, base: release("base"), head: release("head"), query, byLabel: isWhole, findsCauses: isWhole,
      now: question.now)
  }

  private static func newest(_ question: AppQuestion) throws -> Model {
    guard let pair = try question.health.comparedReleases(question.app, question.query, now: question.now) else {
      return impossible("This period has fewer than two releases, so there is nothing to compare.", question)
    }
    return try comparison(
      question.health.compare(
        question.app, base: pair.base, head: pair.head, filters(question, ofGroups: false), byLabel: true,
        findsCauses: true, now: question.now), question)
  }

  private static func comparison(_ comparison: ReleaseComparison, _ question: AppQuestion) throws -> Model {
    .comparison(comparison, code: try code(of: comparison, question), focus: try question.request.focus())
  }

  private static func code(of comparison: ReleaseComparison, _ question: AppQuestion) throws -> [CodeChanges] {
    try question.groups().codeChanges(question.app, comparison, now: question.now)
  }

  private static func impossible(
    _ why: String, _ question: AppQuestion, base: String? = nil, head: String? = nil
  ) -> Model {
    .impossible(app: question.app.bundleID, why: why, base: base, head: head, asOf: question.now)
  }
}

extension Page {
  /// The page that compares the newest adopted release with the previous one.
  static func newest(app: String) -> Page { Page(ComparePage.self, [app]) }

  static func compare(app: String, base: String, head: String) -> Page {
    Page(ComparePage.self, [app], [("base", base), ("head", head)])
  }

  /// The same with one function at full width in the flame graphs of what changed in the code.
  static func compareFocus(app: String, base: String, head: String, node: String) -> Page {
    Page(ComparePage.self, [app], [("base", base), ("head", head), ("focus", node)])
  }
}
