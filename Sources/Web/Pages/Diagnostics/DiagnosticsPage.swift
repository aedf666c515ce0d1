public import Analysis
import Core
public import Storage

/// The page that lists single crashes, hangs and other diagnostics.
public enum DiagnosticsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/diagnostics"
  public static let parent: (any PageAddress.Type)? = GroupsPage.self
  public static let endpoints =
    [
      endpoint(
        .init(
          "listDiagnostics", "An app's diagnostics",
          "Crashes, hangs and other diagnostics, newest first. CSV has one row per diagnostic.",
          links: [
            ("getDiagnostic", [("app", "$request.path.app"), ("number", "$response.body#/diagnostics/0/id")])
          ]),
        parameters: [.kind, .before, .limit], isJudged: false
      ) { question in
        let request = question.request
        let most = Int64(DiagnosticList.most)
        return try question.health.diagnostics(
          question.app, kind: request.diagnosticKind(), before: request.number("before", atMost: .max),
          limit: Int(request.number("limit", atMost: most) ?? most))
      }
    ] + DiagnosticBody.endpoints

  public static func breadcrumb(_ page: Page) -> String { "Diagnostics" }

  public static func load(_ question: AppQuestion) throws -> DiagnosticList? {
    try question.health.diagnostics(question.app)
  }

  public static func view(_ model: DiagnosticList, _ context: PageContext) -> [UInt8] {
    DiagnosticsView.render(model, context)
  }

}

/// The data route of one diagnostic as the client sent it. It has no page.
enum DiagnosticBody: PageAddress {
  static let path: PathPattern = "apps/{app}/diagnostics/{number}"
  static let endpoints = [
    DataEndpoint(
      path, .init("getDiagnostic", "One diagnostic", "The complete diagnostic as the client sent it."), parameters: [],
      answer: nil
    ) { request in
      guard let question = try AppQuestion(request), let number = Int64(question.name),
        let sample = try question.health.sample(question.app, number: number)
      else { return nil }
      return .bytes(try request.source.body(of: sample))
    }
  ]
}

extension Page {
  static func diagnostics(app: String) -> Page { Page(DiagnosticsPage.self, [app]) }

  /// The address of one diagnostic as the client sent it.
  static func diagnosticBody(app: String, number: Int64) -> Page {
    .data(of: Page(DiagnosticBody.self, [app, String(number)]), .json)
  }
}

extension HealthReader {
  /// An app's diagnostics, newest first.
  func diagnostics(
    _ app: App, kind: DiagnosticKind? = nil, before: Int64? = nil, limit: Int = DiagnosticList.most
  ) throws -> DiagnosticList {
    let limit = min(max(1, limit), DiagnosticList.most)
    let found = try diagnostics(DiagnosticQuery(app: app.id, kind: kind, before: before, limit: limit + 1))
    return DiagnosticList(
      app: app.bundleID, kind: kind, diagnostics: Array(found.prefix(limit)),
      next: found.count > limit ? found[limit - 1].number : nil)
  }
}

/// One page of the list of an app's diagnostics.
public struct DiagnosticList: Sendable, Equatable {
  public var app: String
  /// The kind of diagnostics that is listed; nil for all.
  var kind: DiagnosticKind?
  /// Newest first.
  public var diagnostics: [StoredDiagnostic]
  /// The value of the parameter `before` for the next page; nil on the last page.
  var next: Int64?

  /// The maximum number of diagnostics per page.
  static let most = 200
}

extension DiagnosticList: TableConvertible {
  static let fields = Fields<Self>("DiagnosticList") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("kind", \.kind)
    Field("diagnostics", \.diagnostics, "Newest first.")
    Field("next", \.next, "The value of `before` for the next page; null on the last page.")
  }

  public static let table = AnswerTable<Self>(\.diagnostics)
}
