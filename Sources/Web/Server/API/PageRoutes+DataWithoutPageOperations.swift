import Core
import Symbols

extension PageRoutes {
  /// The operations that read data without a page.
  static let operations = [
    get(
      "prometheus", id: "getPrometheus", "Verdicts and numbers for Prometheus",
      "Each app's verdict, judged budgets, releases and open incidents, as metrics to scrape. docs/monitoring.md lists "
        + "them and has a dashboard. The server's own metrics are at `/metrics`.",
      parameters: prometheusParameters,
      answer: APIAnswer(
        200, "The metrics, in Prometheus' text format.",
        APIContent(
          "text/plain", .string,
          example: """
            # HELP plumb_app_verdict The overall verdict on an app's budgets: 1 for the current verdict, else 0.
            # TYPE plumb_app_verdict gauge
            plumb_app_verdict{app="com.example.shop",verdict="within"} 1

            """), headers: [APIAnswer.eTag]), others: [.notFound]),
    get(
      "symbols", id: "listSymbols", "Uploaded symbols", "The data of `plumb symbols list`.",
      answer: ok(StoredSymbolList.schema)),
    get(
      "apps/{app}/symbols", id: "symbolsOfApp", "Symbols of an app's binaries, by build",
      "The app's own binaries that occur in its diagnostics, by build, and whether their symbols are uploaded.",
      answer: ok(AppSymbolCoverage.schema), others: [.notFound]),
    get(
      "audit", id: "getAudit", "The audit log",
      "The data of `plumb audit`: who changed what, and when. Requires an administrator of all apps, or a token with "
        + "the scope `admin`.", parameters: auditParameters, answer: ok(AuditEntryList.schema), others: [.forbidden]),
    get(
      "apps/{app}/silences", id: "listSilences", "Silences of an app's alerts",
      "Current silences of this app and of all apps.", answer: ok(SilenceList.schema), others: [.notFound]),
  ]

  static let prometheusParameters = [
    APIParameter(
      "app", "Only this app, by its bundle identifier; adds every metric of its report.",
      .string(from: 1), example: "com.example.shop", component: "OnlyApp")
  ]

  static let auditParameters = [
    APIParameter(
      "app", "Only changes to this app, by its bundle identifier; it may have been removed.", .string(from: 1),
      example: "com.example.shop", component: "AuditApp"),
    APIParameter(
      "who", "Only changes by this user, token or operating-system user.", .string(from: 1), example: "ana",
      component: "AuditWho"),
    APIParameter(
      "action", "Only this action, such as `group.resolve`, or a kind of actions, such as `group`.", .string(from: 1),
      example: "group", component: "AuditAction"),
    APIParameter(
      "before", "Only entries older than this: `before` of the previous response.", .integer(from: 1), example: 1200,
      component: "AuditBefore"),
  ]

  private static func ok(_ schema: JSONSchema) -> APIAnswer {
    APIAnswer(200, "The answer.", .json(schema), headers: [APIAnswer.eTag])
  }

  private static func get(
    _ path: String, id: String, _ summary: String, _ about: String, parameters: [APIParameter] = [],
    answer: APIAnswer, others: [APIAnswer] = []
  ) -> APIOperation {
    APIOperation(
      "get", "/api/v1/" + path, id: id, summary, about, parameters: parameters,
      answers: [answer, .notModified, .badRequest, .unauthorized] + others + [.methodNotAllowed, .failure, .busy])
  }
}
