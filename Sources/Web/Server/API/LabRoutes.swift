import Analysis
import Core
import Storage

/// Imports runs of performance tests: `POST /api/v1/apps/{app}/lab-runs`, whose body is what
/// `xcresulttool get test-results metrics` prints. Only tokens with the scope `lab` may add runs, and none can change
/// one.
struct LabRoutes: Sendable {
  private let backend: any ServerBackend
  private let refresher: AccessCacheRefresher
  /// Four of the largest bodies at once.
  private let memory = BodyMemoryPool(limit: 4 * LabRunImport.mostBytes)

  init(_ backend: any ServerBackend, _ refresher: AccessCacheRefresher) {
    (self.backend, self.refresher) = (backend, refresher)
  }

  /// Admits requests with a token for performance tests; only these may send bodies.
  func admit(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    guard head.method == "POST" else { return .refuse(Self.notAllowed) }
    return refresher.admit(
      head, unauthorized: Self.unauthorized, where: { $0.isValid(at: $1) && $0.rights.contains(.lab) }
    ) { token in
      guard backend.room().takesPayloads else { return .refuse(Self.noSpace) }
      return .accept(
        bodyLimit: LabRunImport.mostBytes, account: BodyAccount(in: memory, mayTakeAll: true),
        responder: match.responder(token))
    }
  }

  /// Stores a run.
  func take(_ call: RoutedRequest) throws -> Response {
    let (request, now) = (call.request, backend.now())
    guard let token = call.token, let permission = Permission(token, at: now) else { return Self.unauthorized }
    do { try backend.control.markUsed(token: token.id, at: now) } catch { backend.report(error) }
    guard let app = try backend.control.app(bundleID: call.arguments[0]), permission.allows(.lab, on: app.id) else {
      return .problem(
        404, "Not found", detail: "There is no app \(call.arguments[0]) whose runs this token may import.")
    }
    do {
      try APIParameterCheck.check(request.query, known: Self.parameters.map(\.name))
      let query = try LabRunImport(parameter: request.query)
      let run = try query.run(request.content.bytes, at: now)
      let isNew = try backend.control.acting(as: Actor(.token, token.name)).keep(run, of: app.id)
      return .json(LabReceipt(run, query, isNew: isNew).json(), headers: [("Cache-Control", "no-store")])
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch let error as JSONError {
      return .problem(400, "Not understood", detail: "\(error)")
    } catch ControlError.full(let sentence) {
      return .problem(429, "Too many runs", detail: sentence, headers: [("Retry-After", "3600")])
    }
  }

  static let parameters = [
    APIParameter(
      "release", "The version under test as it will be released.", .string(from: 1), example: "4.2.0", isRequired: true),
    APIParameter(
      "commit", "The commit under test: 7 to 64 hexadecimal digits.", .string(matching: "^[0-9A-Fa-f]{7,64}$"),
      example: "9fceb02d0ae598e95dc970b74767f19372d61af8", isRequired: true),
    APIParameter(
      "branch", "The branch of a pull request. Empty: the main line, whose runs are shown beside the field.",
      example: "faster-launch"),
    APIParameter("runner", "The machine. Only runs with equal names are compared.", example: "mini-1"),
    APIParameter(
      "map",
      "Metrics of users' devices that tests should foretell, as TEST=METRIC, separated by commas. Metrics that XCTest "
        + "names, such as the launch time, need none.", .string(from: 1),
      example: "CartTests/testOpenCart()=screen.load"),
  ]

  static let operations = [
    APIOperation(
      "post", "/api/v1/apps/{app}/lab-runs", id: "importLabRun", "Import a run of performance tests",
      "Like `plumb import --lab`. The body is what `xcrun xcresulttool get test-results metrics` prints. A run that is "
        + "already stored is not stored again; none is ever changed.",
      parameters: parameters,
      body: APIBody(
        APIContent("application/json", .array(of: .anyObject), example: .array([test])),
        about: "At most 4 MiB, 500 metrics of tests and devices, and 10,000 measurements."),
      answers: [
        APIAnswer(200, "The run is stored.", .json(LabReceipt.schema)),
        .problem(
          400, "A parameter or the body is invalid.", title: "Not understood",
          "[0].testRuns[0].metrics[0].measurements[2]: expected a number, found null"),
        .problem(401, "No token for performance tests.", title: "Lab token needed", needed), .notFound,
        .methodNotAllowed, .problem(413, "The body has more than 4 MiB.", title: "Body too large", nil),
        .problem(
          429, "The app has too many runs, in total or within 24 hours.", title: "Too many runs",
          "500 runs of this app were imported within 24 hours. Import fewer, or try again tomorrow."), .busy,
      ], security: ["labToken"])
  ]

  private static let test = JSONOutput.object([
    ("testIdentifier", "LaunchTests/testColdLaunch()"),
    (
      "testRuns",
      .array([
        .object([
          ("device", .object([("deviceId", "00008130-0012"), ("deviceName", "iPhone 15 Pro")])),
          ("testPlanConfiguration", .object([("configurationId", "1"), ("configurationName", "Test Scheme Action")])),
          (
            "metrics",
            .array([
              .object([
                ("identifier", "com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration"),
                ("displayName", "Duration (AppLaunch)"), ("unitOfMeasurement", "s"),
                ("measurements", .array([.number(0.512), .number(0.498), .number(0.505)])),
              ])
            ])
          ),
        ])
      ])
    ),
  ])

  private static let needed =
    "Send a token with the scope lab as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME --scope "
    + "lab`."
  private static let unauthorized = Response.problem(
    401, "Lab token needed", detail: needed, headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  private static let notAllowed = Response.problem(
    405, "Method not allowed", detail: "This address supports POST.", headers: [("Allow", "POST")]
  ).prepared()
  private static let noSpace = Response.problem(
    503, "No space", detail: "The server is short of disk space and stores no runs. Try again later.",
    headers: [("Retry-After", "3600")]
  ).prepared()
  static let busy = Response.problem(
    503, "Busy", detail: "Too many runs are waiting. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
}
