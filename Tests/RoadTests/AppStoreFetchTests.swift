import Foundation
import Synchronization
import Testing
import TestSupport

@Suite("Fetching from App Store Connect")
struct AppStoreFetchTests {
  /// A server with the addresses and documents of App Store Connect's API.
  private final class Store: Sendable {
    let launch = Mutex(1_900.0)
    let failure = Mutex<Int?>(nil)
    private let served = Mutex<Sink?>(nil)

    var address: String { served.withLock { "http://127.0.0.1:\($0?.port ?? 0)" } }
    var targets: [String] {
      served.withLock { $0?.requests.map { String($0.head.split(separator: " ").dropFirst().first ?? "") } ?? [] }
    }

    init() {
      let sink = Sink { [unowned self] _, request in answer(request) }
      served.withLock { $0 = sink }
    }

    private func answer(_ request: Sink.Request) -> Sink.Answer {
      let target = String(request.head.split(separator: " ").dropFirst().first ?? "")
      let host = request.header("Host") ?? ""
      guard request.header("Authorization")?.hasPrefix("Bearer ey") == true else { return .status(401) }
      if let failure = failure.withLock({ $0 }), target.contains("perfPowerMetrics") { return .status(failure) }
      func json(_ text: String) -> Sink.Answer { .status(200, body: text) }
      if target.hasPrefix("/v1/apps?") {
        return json(#"{"data": [{"type": "apps", "id": "77", "attributes": {"bundleId": "\#(Payload.app)"}}]}"#)
      }
      switch target {
      case "/v1/apps/77/perfPowerMetrics":
        guard request.header("Accept") == "application/vnd.apple.xcode-metrics+json" else { return .status(406) }
        return json(metrics)
      case "/v1/apps/77/performanceOverviews":
        guard request.header("Accept") == "application/vnd.apple.xcode-overview+json" else { return .status(406) }
        return json(Self.overview)
      case "/v1/builds/b-1/diagnosticSignatures?limit=200":
        return json(
          Self.page("s1", "-[Cart reload]", next: "\"http://\(host)/v1/builds/b-1/diagnosticSignatures?cursor=2\""))
      case "/v1/builds/b-1/diagnosticSignatures?cursor=2": return json(Self.page("s2", "sqlite3_step", next: "null"))
      default:
        return target.hasPrefix("/v1/builds?filter%5Bapp%5D=77&filter%5BpreReleaseVersion.version%5D=4.2.0&")
          ? json(#"{"data": [{"type": "builds", "id": "b-1"}]}"#) : .status(404)
      }
    }

    private static func page(_ id: String, _ function: String, next: String) -> String {
      #"{"data": [{"type": "diagnosticSignatures", "id": "\#(id)", "attributes": {"diagnosticType": "LAUNCHES","#
        + #""signature": "\#(function)", "weight": 40.5}}], "links": {"self": "x", "next": \#(next)}}"#
    }

    private var metrics: String {
      #"""
      {"version": "1.0.0", "insights": {"regressions": [], "trendingUp": []},
       "productData": [{"platform": "iOS", "metricCategories": [
         {"identifier": "LAUNCH", "metrics": [{"identifier": "launchTime", "unit": {"displayName": "ms"},
           "goalKeys": [{"goalKey": "good", "lowerBound": 0, "upperBound": 1500},
             {"goalKey": "poor", "lowerBound": 1500}],
           "datasets": [{"filterCriteria": {"percentile": "percentile.ninety", "device": "all_iphones",
             "deviceMarketingName": "All iPhones"}, "recommendedMetricGoal": {"value": 700, "detail": "Similar apps."},
             "points": [{"version": "4.2.0", "value": \#(launch.withLock { $0 }), "errorMargin": 20}]}]}]},
         {"identifier": "TERMINATION", "metrics": [{"identifier": "onScreen", "unit": {"displayName": "per day"},
           "datasets": [{"filterCriteria": {"percentile": "percentile.fifty", "device": "all_iphones"},
             "points": [{"version": "4.2.0", "value": 0.25,
               "percentageBreakdown": [{"subSystemLabel": "Memory limit", "value": 60}]}]}]}]}]}]}
      """#
    }

    private static let overview = #"""
      {"version": "1", "appMetadata": {"bundleId": "com.example.shop", "latestVersion": "4.2.0", "platform": "iOS"},
       "insights": {"regressions": [{"metricCategory": "LAUNCH", "metric": "launchTime", "latestVersion": "4.2.0",
         "highImpact": true, "summaryString": "Launches <b>are</b> 9 % slower."}], "trendingUp": []},
       "categories": [], "signatures": {"topHangPoint": [], "topDiskWritePoint": [], "topLaunchPoint": [
         {"signatureId": "s1", "signature": "-[Cart reload]", "count": 12, "weight": 40.5, "sourceFile": "Cart.swift",
          "lineNumber": 42, "trendInfo": "UP"}]}}
      """#
  }

  private func key(_ stage: Stage) throws {
    try stage.write(
      String(
        decoding: Program.output("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
        as: UTF8.self), to: "key.p8")
    _ = try stage.run(program: "/bin/chmod", ["600", "key.p8"])
  }

  private func fetch(_ stage: Stage, _ store: Store, _ more: String...) throws -> Stage.Outcome {
    try stage.run(
      program: Program.plumb,
      [
        "import", "--app-store-connect", "key.p8", "--key-id", "2X9R4HXF34", "--issuer-id",
        "57246542-96fe-1a63-e053-0824d011072a", "--api-url", store.address, "--app", Payload.app,
      ] + more)
  }

  @Test("Apple's metrics are fetched with a key, once however often, and are on the page of their metric")
  func road() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    try key(stage)
    // Twenty phones, because the verdict needs ten payloads. 4 of 10 launches take more than 900 ms.
    let files = (0..<20).map { "phone-\($0).json" }
    for (phone, file) in files.enumerated() {
      let launches = (0..<10).map {
        #"{"metric":"launch.first_draw","value":\#(($0 < 6 ? 400 : 900) + phone),"unit":"ms"}"#
      }
      try stage.write(Payload.native("\"measurements\":[\(launches.joined(separator: ","))]"), to: file)
    }
    #expect(try stage.run(program: Program.plumb, ["import", "--app", Payload.app] + files).succeeded)
    let budgets = "app: \(Payload.app)\nbudgets:\n  - p90 launch.first_draw <= apple.goal\n"
    try stage.write(budgets, to: "budgets.yaml")
    let before = try stage.run("check", "--app", Payload.app, "--budgets", "budgets.yaml")
    #expect(
      before.ending == .exit(1) && before.output.contains("No goal of Apple's for p90 launch.first_draw"), "\(before)")

    let store = Store()
    for _ in 1...2 {
      let run = try fetch(stage, store)
      #expect(
        run.succeeded && run.output == "From App Store Connect: values 2, goals 3, insights 1, signatures 2.\n",
        "\(run)")
    }
    #expect(store.targets.contains("/v1/builds/b-1/diagnosticSignatures?cursor=2"))
    #expect(store.targets.count == 12, "the app, its overview, its metrics, its build and two pages, twice")

    let token = try stage.addToken()
    let server = try stage.serve()
    let client = server.connect()
    let own = [("Authorization", "Bearer \(token)")]
    let metric = try JSON(
      try #require(client.get("/api/v1/apps/\(Payload.app)/metrics/launch.first_draw", own)).text)
    #expect(metric["app_store_connect"].list.count == 1 && metric["app_store_goals"].list.count == 3)
    #expect(metric["app_store_insights"][0]["high_impact"].number == 1)
    let signatures = metric["app_store_signatures"].list
    #expect(signatures.map { $0["signature"].text } == ["-[Cart reload]", "sqlite3_step"])
    #expect(signatures[0]["file"].text == "Cart.swift" && signatures[0]["count"].integer == 12)
    let page = try #require(client.get("/apps/\(Payload.app)/metrics/launch.first_draw", own)).text
    for part in [
      "p90 at most 700", "Similar apps.", "&lt;b&gt;", "-[Cart reload]", "Cart.swift:42", "good up to 1,500",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    let all = try #require(client.get("/apps/\(Payload.app)/metrics", own)).text
    #expect(all.contains("TERMINATION"), "also what only Apple measures")
    #expect(server.stop() == .exit(0))

    let broken = try stage.run("check", "--app", Payload.app, "--budgets", "budgets.yaml", "--stateless", "--all")
    #expect(broken.ending == .exit(2) && broken.output.contains("BROKEN"), "\(broken)")
    #expect(broken.output.contains("(Apple's goal, 20"), "\(broken)")
    let list = try JSON(
      try stage.run("check", "--app", Payload.app, "--budgets", "budgets.yaml", "--format", "json").output)
    #expect(list["budgets"][0]["target"].number == 700 && list["budgets"][0]["apple_goal"].text?.count == 10)
  }

  @Test("a failed fetch from App Store Connect stores nothing, and says why without the key")
  func failures() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    try key(stage)
    let store = Store()
    #expect(try fetch(stage, store).succeeded)
    store.launch.withLock { $0 = 5_000 }
    store.failure.withLock { $0 = 403 }
    let refused = try fetch(stage, store)
    #expect(refused.ending == .exit(1) && refused.errors.contains("403") && !refused.errors.contains("PRIVATE"))
    let values = "SELECT value FROM app_store_figure WHERE metric = 'launchTime'"
    func kept() throws -> [String] { try SQLFile.run(values, in: stage.data + "/control.db") }
    #expect(try kept() == ["1900.0"])
    store.failure.withLock { $0 = nil }
    let other = try fetch(stage, store, "--apple-app-id", "78")
    #expect(other.ending == .exit(1) && other.errors.contains("no app with the id 78"), "\(other)")
    _ = try stage.run(program: "/bin/chmod", ["644", "key.p8"])
    let open = try fetch(stage, store)
    #expect(open.ending == .exit(1) && open.errors.contains("chmod 600"), "\(open)")
    #expect(try kept() == ["1900.0"])

    for flags in [
      ["import", "--app", Payload.app], ["import", "x.json", "--key-id", "K", "--app", Payload.app],
      ["import", "--app-store-connect", "key.p8", "--app", Payload.app],
      ["import", "x.json", "--app-store-connect", "key.p8", "--key-id", "K", "--app", Payload.app],
    ] {
      #expect(try stage.run(program: Program.plumb, flags).ending == .exit(64), "\(flags)")
    }
  }
}
