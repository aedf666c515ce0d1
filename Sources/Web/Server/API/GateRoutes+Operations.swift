import Analysis
import Core

extension GateRoutes {
  static let operations = [
    operation(
      "check", id: "gateCheck", "Judge apps against budgets",
      "As `plumb check --stateless`: no incident opens or ends. `plumb check --server` asks this.",
      parameters: checkParameters,
      output:
        "BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (2.27–2.36 s at 95 %, n 20,311), at least 2.28 s, "
        + "95 % sure, budget <= 2 s [production, release 4.2.0, 2026-10-24 to 2026-11-20]\n"),
    operation(
      "compare", id: "gateCompare", "Compare two releases",
      "As `plumb compare`. `plumb compare --server` asks this.", parameters: comparisonParameters,
      output: "4.2.0 against 4.1.0: worse in Launch to first draw (p90).\n"),
  ]

  static let checkParameters =
    [
      APIParameter(
        "app", "The bundle identifier; every app that the token may read when it is left out.", .string(from: 1),
        example: "com.example.shop")
    ] + [FilterPart.release, .environment, .attribute, .from, .to].map(\.parameter) + [
      .flag("all", "`true`: as text also budgets that are met."),
      .flag("incidents", "`true`: lists open incidents below the verdicts."),
      format(["text", "json", "junit", "github", "markdown"]), name,
    ]

  static let comparisonParameters =
    [
      needed("app", "The bundle identifier.", "com.example.shop"),
      needed(
        "base",
        "The release that was: a version, or version and build. Or a value of the app's attribute, `experiment=control` "
          + "or `region!=DE`.", "4.1.0"), needed("head", "The release that comes, or a value.", "4.2.0"),
    ] + ComparePage.filters.map(\.parameter) + [
      format(["text", "markdown", "json", "csv", "junit", "github"]), name,
    ]

  private static func needed(_ name: String, _ about: String, _ example: JSONOutput) -> APIParameter {
    APIParameter(name, about, .string(from: 1), example: example, isRequired: true)
  }

  private static func format(_ names: [String]) -> APIParameter {
    APIParameter("format", "How `output` is written.", .oneOf(names), example: "markdown")
  }

  private static let name = APIParameter(
    "name",
    "What messages call the budget file of the body. With it an empty body is an empty file, and an error.",
    .string(from: 1), example: "budgets.yaml")

  /// A judgement. `output`: what its example prints.
  private static func operation(
    _ judgement: String, id: String, _ summary: String, _ about: String, parameters: [APIParameter], output: String
  ) -> APIOperation {
    APIOperation(
      "post", "/api/v1/gate/" + judgement, id: id, summary, about, parameters: parameters,
      body: APIBody(
        APIContent("application/yaml", .string, example: "budgets:\n  - p90 launch.first_draw <= 2 s\n"),
        isRequired: false,
        about:
          "A budget file, at most 64 KiB and 200 budgets. It is used for this judgement and not stored. Without one, "
          + "the server's budgets count."),
      answers: [
        APIAnswer(
          200, "What the command prints, and its exit status.",
          APIContent(
            "application/json", GateAnswer.schema, example: GateAnswer(status: 2, text: Array(output.utf8)).output)),
        .badRequest,
        .problem(
          401, "No token that may read.", title: "Read token needed",
          "Send a token that may read as `Authorization: Bearer TOKEN`. `plumb token add gate` makes one.",
          headers: [("WWW-Authenticate", "")]), .notFound, .methodNotAllowed,
        .problem(
          409,
          "Nothing can be judged: the budget file has an error, a release is not known, or, with `parameter`, parameters "
            + "contradict each other.", title: "Cannot be judged",
          "budgets.yaml:2:34: expected a unit of time after 2, found \"MB\""),
        .problem(413, "More than 64 KiB.", title: "Body too large", nil), .failure, .busy,
      ], security: ["readToken"])
  }
}

extension APIParameter {
  /// A parameter that is true or false.
  static func flag(_ name: String, _ about: String) -> APIParameter {
    APIParameter(name, about, .oneOf(["true", "false"]), example: "true")
  }
}
