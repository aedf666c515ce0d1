import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import Outbound
@testable import SQLiteStore
@testable import Storage

@Suite("Alerts of a data folder")
struct AlertServiceTests {
  /// A folder in which 40 of 400 people crashed three days ago, and a service that delivers to `addresses`.
  private func service(
    _ addresses: [(name: String, address: String)], publicURL: String? = nil
  ) throws -> (AppScene, AlertService) {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(400, crashed: 40, started: AppScene.ago(days: 3)))
    let channels = addresses.map { "    \($0.name): { kind: webhook, url: \"\($0.address)\", allow-private: true }" }
    let yaml = (["alerts:", "  default: [\(addresses.map(\.name).joined(separator: ", "))]", "  channels:"] + channels)
    let settings = addresses.isEmpty ? AlertSettings() : try scene.settings(yaml.joined(separator: "\n")).alerts()
    let service = AlertService(
      scene.installation, try SQLiteStore(path: scene.installation.folder.plumb),
      BudgetRepository(scene.installation, file: nil), thresholds: AlertThresholds(), publicURL: publicURL,
      channels: settings)
    return (scene, service)
  }

  private func body(_ request: Sink.Request) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
  }

  @Test("a broken budget is sent once to a webhook, with a link, and not again while it stays broken")
  func broken() throws {
    let sink = Sink { _, _ in .status(200) }
    let (scene, service) = try service([("ops", sink.address)], publicURL: "https://plumb.example.com/")
    let outcome = try service.evaluate(scene.app, now: AppScene.now)
    #expect(outcome.failure == nil)
    let open = try scene.installation.control.alertState(of: scene.app.id).open
    #expect(open.flatMap(\.open).contains { $0.key.rule == .budget && $0.key.metric == "sessions.crash_free" })
    // One incident, however many budgets are broken. What is broken on the release is not reported of the app again.
    #expect(open.map(\.key.theme) == [.release])
    for _ in 0..<2 {
      service.evaluateAll(now: AppScene.now) { Issue.record($0) }
      try service.deliver(now: AppScene.now) { Issue.record("\($0.channel): \($1)") }
    }
    #expect(sink.requests.count == 1)
    let message = try body(try #require(sink.requests.first))
    #expect(message["app"] as? String == AppScene.app && message["event"] as? String == "opened")
    let title = try #require(message["title"] as? String)
    #expect(title.hasPrefix("BROKEN \(AppScene.app): ") && !title.contains("also"), "\(title)")
    let items = try #require(message["items"] as? [[String: Any]])
    let links = items.compactMap { $0["link"] as? String }
    #expect(
      links.contains { $0.hasPrefix("https://plumb.example.com/apps/\(AppScene.app)/metrics/sessions.crash_free?") },
      "\(links)")
  }

  @Test("groups are evaluated in the two newest versions in use, not in one that was used months ago")
  func watchedVersions() throws {
    let scene = try AppScene()
    func crashes(_ version: String, _ time: Timestamp) throws {
      let bodies = (0..<3).map { number in
        """
        {"app":{"bundle_id":"\(AppScene.app)","version":"\(version)","build":"1"},
        "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"\(number)",
        "sessions":[{"id":"\(version)-\(number)","status":"ok","started":"\(time.iso)"}],
        "crashes":[{"at":"\(time.iso)","exception":"EXC_BAD_ACCESS","signal":11,"session":"\(version)-\(number)",
        "frames":[{"binary":"Shop","offset":64,"function":"Feed.load()"}]}]}
        """
      }
      try scene.fill(bodies, at: time)
    }
    try crashes("9.0.0", AppScene.ago(days: 60))
    for version in ["4.1.0", "4.2.0", "4.0.0"] { try crashes(version, AppScene.ago(days: 3)) }
    let service = AlertService(
      scene.installation, try SQLiteStore(path: scene.installation.folder.plumb),
      BudgetRepository(scene.installation, file: nil), thresholds: AlertThresholds(), publicURL: nil,
      channels: AlertSettings())
    let watched = try #require(try service.evaluate(scene.app, now: AppScene.now).input?.watchedGroups)
    #expect(watched.map(\.release) == ["4.2.0", "4.1.0"])
  }

  @Test("changed thresholds are stored even if nothing is broken, so that all rules start afresh only once")
  func otherThresholds() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(50, started: AppScene.ago(days: 3)))
    func evaluate(_ thresholds: AlertThresholds) throws -> AlertState {
      let service = AlertService(
        scene.installation, try SQLiteStore(path: scene.installation.folder.plumb),
        BudgetRepository(scene.installation, file: nil), thresholds: thresholds, publicURL: nil,
        channels: AlertSettings())
      #expect(try service.evaluate(scene.app, now: AppScene.now).failure == nil)
      return try scene.installation.control.alertState(of: scene.app.id)
    }
    let first = try evaluate(AlertThresholds())
    var other = AlertThresholds()
    other.groupShare = 0.25
    let second = try evaluate(other)
    #expect(second.open.isEmpty && second.rules != first.rules && second.digestedThrough == first.digestedThrough)
    #expect(try evaluate(other).version == second.version)
  }

  @Test("a message that a channel refuses is reported once and not repeated, and another channel gets it once")
  func refused() throws {
    let good = Sink { _, _ in .status(200) }
    let bad = Sink { _, _ in .status(400) }
    let (scene, service) = try service([("good", good.address), ("bad", bad.address)])
    service.evaluateAll(now: AppScene.now) { Issue.record($0) }
    var failed: [String] = []
    try service.deliver(now: AppScene.now) { delivery, _ in failed.append(delivery.channel) }
    #expect(failed == ["bad"] && good.requests.count == 1)
    let later = Timestamp(milliseconds: AppScene.now.milliseconds + 3_600_000)
    try service.deliver(now: later) { delivery, _ in failed.append(delivery.channel) }
    #expect(failed == ["bad"], "a refusal is final")
    #expect(good.requests.count == 1)
    _ = scene
  }

  @Test("the end of an incident is sent when the numbers prove it")
  func resolved() throws {
    let sink = Sink { _, _ in .status(200) }
    let (scene, service) = try service([("ops", sink.address)])
    service.evaluateAll(now: AppScene.now) { Issue.record($0) }
    try service.deliver(now: AppScene.now) { Issue.record("\($0.channel): \($1)") }
    try scene.fill(AppScene.sessions(13_000, prefix: "well", started: AppScene.ago(days: 2)))
    service.evaluateAll(now: AppScene.now) { Issue.record($0) }
    try service.deliver(now: AppScene.now) { Issue.record("\($0.channel): \($1)") }
    // However many they are, they came at once: what they prove has to last for six hours.
    let open = try scene.installation.control.alertState(of: scene.app.id).open
    #expect(open.flatMap(\.open).contains { $0.key.rule == .budget && $0.key.metric == "sessions.crash_free" })
    #expect(sink.requests.count == 1)
    let later = Timestamp(milliseconds: AppScene.now.milliseconds + 6 * 3_600_000 + 60_000)
    try scene.fill(AppScene.sessions(1000, prefix: "later", started: AppScene.ago(days: 1)), at: later)
    service.evaluateAll(now: later) { Issue.record($0) }
    try service.deliver(now: later) { Issue.record("\($0.channel): \($1)") }
    #expect(try scene.installation.control.alertState(of: scene.app.id).open.isEmpty)
    #expect(try sink.requests.map { try body($0)["event"] as? String } == ["opened", "resolved"])
  }

  @Test("a log line about an incident is printed once, and only for the apps that were requested")
  func printed() throws {
    let (scene, service) = try service([])
    service.evaluateAll(now: AppScene.now) { Issue.record($0) }
    var lines: [String] = []
    try service.print(on: "log", of: ["com.example.other"], now: AppScene.now) { lines.append($0.title) }
    #expect(lines.isEmpty)
    for _ in 0..<2 { try service.print(on: "log", now: AppScene.now) { lines.append($0.title) } }
    #expect(lines.count == 1 && lines[0].hasPrefix("BROKEN \(AppScene.app): "), "\(lines)")
    // What nobody printed for a week is dropped.
    let week = Timestamp(milliseconds: AppScene.now.milliseconds + 7 * 86_400_000)
    try service.print(on: "output", now: week) { lines.append($0.title) }
    #expect(lines.count == 1)
    _ = scene
  }

  @Test("a budget file with an error is an incident of its app alone, and ends when it is corrected")
  func notJudged() throws {
    let (scene, service) = try service([])
    let other = try scene.installation.control.addApp(
      bundleID: "com.example.other", settings: AppSettings(), key: "1123456789abcdef0123456789abcdef",
      at: AppScene.now)
    let file = try scene.write("budgets:\n  - nonsense\n", to: "budgets/\(AppScene.app).yaml")
    var failures: [String] = []
    service.evaluateAll(now: AppScene.now) { failures.append("\($0)") }
    #expect(failures.count == 1 && failures[0].contains("\(AppScene.app).yaml:2:"), "\(failures)")
    let control = scene.installation.control
    #expect(try control.alertState(of: scene.app.id).open.map(\.key.theme) == [.evaluation])
    #expect(try control.alertState(of: other.id).open.isEmpty)
    try FileManager.default.removeItem(atPath: file)
    service.evaluateAll(now: AppScene.now) { Issue.record($0) }
    #expect(try !control.alertState(of: scene.app.id).open.contains { $0.key.theme == .evaluation })
  }
}

@Suite("A run of check")
struct CheckRunTests {
  private final class Lines: Sendable {
    private let state = Mutex<(output: String, errors: [String])>(("", []))
    var text: String { state.withLock { $0.output } }
    var errors: [String] { state.withLock { $0.errors } }
    var output: CheckRun.Output {
      CheckRun.Output(
        write: { bytes in self.state.withLock { $0.output += String(decoding: bytes, as: UTF8.self) } },
        complain: { line in self.state.withLock { $0.errors.append(line) } })
    }
  }

  private func run(
    _ scene: AppScene, readOnly: OutputFormat? = nil, budgets: String? = nil
  ) throws -> (status: Int32, text: String, errors: [String]) {
    let lines = Lines()
    var options = CheckRun.Options(query: try ReportQuery { _ in nil })
    options.readOnly = readOnly
    options.budgets = budgets
    var run = try CheckRun(scene.path, try scene.settings("listen: 127.0.0.1:0\n"), options, output: lines.output)
    return (try run.run(), lines.text, lines.errors)
  }

  @Test("a run of check prints what opened and returns the verdicts' exit code; a read-only run opens nothing")
  func statuses() throws {
    let scene = try AppScene()
    let empty = try run(scene)
    #expect(empty.status == 3 && empty.text.isEmpty && empty.errors.count == 1, "\(empty)")
    try scene.fill(AppScene.sessions(400, crashed: 40, started: AppScene.ago(days: 3)))
    let read = try run(scene, readOnly: .text)
    #expect(read.status == 2 && read.text.hasPrefix("BROKEN \(AppScene.app): "), "\(read)")
    #expect(try scene.installation.control.alertState(of: scene.app.id).open.isEmpty)
    let opened = try run(scene)
    #expect(opened.status == 2 && opened.text.hasPrefix("BROKEN \(AppScene.app): "), "\(opened)")
    let again = try run(scene)
    #expect(again.status == 2 && again.text.isEmpty, "\(again)")
  }

  @Test("a budget file for another app is refused before anything is evaluated")
  func wrongBudgets() throws {
    let scene = try AppScene()
    let file = try scene.write("app: com.example.other\nbudgets:\n  - sessions.crash_free >= 97%\n", to: "b.yaml")
    #expect(throws: UserFacingError.self) { try run(scene, budgets: file) }
  }
}
