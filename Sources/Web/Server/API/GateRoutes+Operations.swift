import Analysis
import Core

extension GateRoutes {
  static let operations = [
    operation(
      "check", id: "gateCheck", "Judge apps against budgets",
      "Like `plumb check --stateless`: no incident opens or ends. `plumb check --server` uses this operation.",
      parameters: checkParameters,
      output:
        "BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (2.27–2.36 s at 95 %, n 20,311), at least 2.28 s, "
        + "95 % sure, budget <= 2 s [production, release 4.2.0, 2026-10-24 to 2026-11-20]\n"),
    operation(
      "compare", id: "gateCompare", "Compare two releases",
      "Like `plumb compare`. `plumb compare --server` uses this operation.", parameters: comparisonParameters,
      output: "4.2.0 against 4.1.0: worse in Launch to first draw (p90).\n"),
    operation(
      "rollout", id: "gateRollout", "Decide whether a rollout may continue",
      "Like `plumb rollout`. `plumb rollout --server` uses this operation.", parameters: rolloutParameters,
      output: "Continue: No vital of 4.2.0 is worse than on 4.1.0, and none is twice as bad.\n"),
    operation(
      "lab", id: "gateLab", "Compare runs of performance tests",
      "Like `plumb lab`. `plumb lab --server` uses this operation. A body has no effect.", parameters: labParameters,
      output: "9fceb02 against main: worse in LaunchTests/testColdLaunch(), Duration (AppLaunch).\n"),
  ]

  static let labParameters = [
    needed("app", "The bundle identifier.", "com.example.shop"),
    needed("base", "The release, commit (at least 7 digits) or branch to compare with.", "main"),
    needed("head", "The release, commit or branch to compare.", "9fceb02"),
    APIParameter(
      "margin", "The largest change that counts as none, in percent. Default: 10.",
      .number.with("minimum", .integer(0)).with("maximum", .integer(100)), example: 10),
    format(["text", "markdown", "json", "csv", "junit", "github"]),
  ]

  static let rolloutParameters = [
    needed("app", "The bundle identifier.", "com.example.shop"),
    APIParameter("release", "The release; by default the newest in use.", .string(from: 1), example: "4.2.0"),
    APIParameter(
      "base", "The release to compare it with; by default the newest older one that was adopted.", .string(from: 1),
      example: "4.1.0"), FilterPart.environment.parameter, FilterPart.to.parameter,
    format(["text", "markdown", "json", "csv", "junit", "github"]), name,
  ]

  static let checkParameters =
    [
      APIParameter(
        "app", "The bundle identifier; by default every app that the token may read.", .string(from: 1),
        example: "com.example.shop")
    ] + [FilterPart.release, .environment, .attribute, .from, .to].map(\.parameter) + [
      .flag("all", "`true`: text output includes budgets that are met."),
      .flag("incidents", "`true`: lists open incidents below the verdicts."),
      format(["text", "json", "junit", "github", "markdown"]), name,
    ]

  static let comparisonParameters =
    [
      needed("app", "The bundle identifier.", "com.example.shop"),
      needed(
        "base",
        "The old release: a version, or version and build. Or a value of an attribute: `experiment=control` or "
          + "`region!=DE`.", "4.1.0"), needed("head", "The new release, or another value.", "4.2.0"),
    ] + ComparePage.filters.map(\.parameter) + [
      .split, format(["text", "markdown", "json", "csv", "junit", "github"]), name,
    ]

  private static func needed(_ name: String, _ about: String, _ example: JSONOutput) -> APIParameter {
    APIParameter(name, about, .string(from: 1), example: example, isRequired: true)
  }

  private static func format(_ names: [String]) -> APIParameter {
    APIParameter("format", "The format of `output`.", .oneOf(names), example: "markdown")
  }

  private static let name = APIParameter(
    "name",
    "The name of the budget file in the body, for messages. If it is set, an empty body is an empty file and an error.",
    .string(from: 1), example: "budgets.yaml")

  /// The operation of a judgement. `output`: the output in its example.
  private static func operation(
    _ judgement: String, id: String, _ summary: String, _ about: String, parameters: [APIParameter], output: String
  ) -> APIOperation {
    APIOperation(
      "post", "/api/v1/gate/" + judgement, id: id, summary, about, parameters: parameters,
      body: APIBody(
        APIContent("application/yaml", .string, example: "budgets:\n  - p90 launch.first_draw <= 2 s\n"),
        isRequired: false,
        about:
          "A budget file, at most 64 KiB and 200 budgets. It is used only for this request and not stored. Without "
          + "it, the server's budgets apply."),
      answers: [
        APIAnswer(
          200, "The command's output and exit status.",
          APIContent(
            "application/json", GateAnswer.schema, example: GateAnswer(status: 2, text: Array(output.utf8)).output)),
        .badRequest,
        .problem(
          401, "No read token.", title: "Read token needed",
          "Send a read token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME`.",
          headers: [("WWW-Authenticate", "")]), .notFound, .methodNotAllowed,
        .problem(
          409,
          "The budget file has an error, a release is unknown, or (with `parameter`) parameters contradict each other.",
          title: "Cannot be judged",
          "budgets.yaml:2:34: expected a unit of time after 2, found \"MB\""),
        .problem(413, "The body has more than 64 KiB.", title: "Body too large", nil), .failure, .busy,
      ], security: ["readToken"])
  }
}
