import Foundation
import Testing

@testable import Analysis
@testable import App
@testable import SQLiteStore
@testable import Storage

@Suite("Budget files of a data folder")
struct BudgetRepositoryTests {
  private let scene: AppScene
  private let store: SQLiteStore
  private let budgets: BudgetRepository

  init() throws {
    scene = try AppScene()
    try scene.fill(AppScene.sessions(400, crashed: 40, started: AppScene.ago(days: 3)))
    store = try SQLiteStore(path: scene.installation.folder.plumb)
    budgets = BudgetRepository(scene.installation, file: nil)
  }

  /// Writes the app's file with a modification time of its own, as files of different moments have.
  private func write(_ text: String, second: Double, app: String = AppScene.app) throws {
    let path = try scene.write(text, to: "budgets/\(app).yaml")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 + second)], ofItemAtPath: path)
  }

  private func texts() throws -> [String] { try budgets.health(of: scene.app, store).budgetTexts }

  @Test("a budget file is read again when it changes, and the defaults apply when it is removed")
  func change() throws {
    let defaults = try texts()
    #expect(defaults.count > 3)
    try write("budgets:\n  - sessions.crash_free >= 97%\n", second: 1)
    #expect(try texts().contains { $0.contains("97%") })
    try write("budgets:\n  - sessions.crash_free >= 96%\n", second: 2)
    let changed = try texts()
    #expect(changed.contains { $0.contains("96%") } && !changed.contains { $0.contains("97%") }, "\(changed)")
    try FileManager.default.removeItem(atPath: scene.path + "/budgets/\(AppScene.app).yaml")
    #expect(try texts() == defaults)
  }

  @Test("verdicts follow the budget file: 360 of 400 meets 80 % and breaks 99.9 %")
  func verdicts() throws {
    func verdict() throws -> Verdict? {
      let results = try budgets.health(of: scene.app, store).check(scene.app, ReportQuery(), now: AppScene.now)
      return results.first { $0.metric == "sessions.crash_free" }?.verdict
    }
    try write("budgets:\n  - sessions.crash_free >= 80%\n", second: 1)
    #expect(try verdict() == .within)
    try write("budgets:\n  - sessions.crash_free >= 99.9%\n", second: 2)
    #expect(try verdict() == .broken)
  }

  @Test("a budget file with an error gives no verdicts, not even from its last valid text, until it is corrected")
  func fault() throws {
    try write("budgets:\n  - sessions.crash_free >= 97%\n", second: 1)
    #expect(try texts().contains { $0.contains("97%") })
    try write("budgets:\n  - p90 screen.load <= 1 sx\n", second: 2)
    #expect(throws: (any Error).self) { try budgets.health(of: scene.app, store) }
    let shown = budgets.shownHealth(of: scene.app, store)
    #expect(shown.budgetError?.contains("\(AppScene.app).yaml:2:26: ") == true, "\(shown.budgetError ?? "none")")
    #expect(shown.budgetTexts.isEmpty)
    try write("budgets:\n  - sessions.crash_free >= 95%\n", second: 3)
    #expect(try texts().contains { $0.contains("95%") })
  }

  @Test("a budget file for another app is an error in the folder, and is refused if a command names it")
  func otherApp() throws {
    try write("app: com.example.other\nbudgets:\n  - sessions.crash_free >= 97%\n", second: 1)
    #expect(throws: UserFacingError.self) { try budgets.health(of: scene.app, store) }
    let path = scene.path + "/budgets/\(AppScene.app).yaml"
    let named = BudgetRepository(scene.installation, file: path)
    #expect(throws: UserFacingError.self) { try named.check(against: [scene.app]) }
    // Named for several apps of which it fits one, it leaves the defaults to the others.
    let other = try scene.installation.control.addApp(
      bundleID: "com.example.other", settings: AppSettings(), key: "1123456789abcdef0123456789abcdef",
      at: AppScene.now)
    try named.check(against: [scene.app, other])
    #expect(try named.health(of: other, store).budgetTexts.contains { $0.contains("97%") })
    #expect(try !named.health(of: scene.app, store).budgetTexts.contains { $0.contains("97%") })
  }

  @Test("a budget file above 1 MiB, or one that is named but missing, is an error")
  func unreadable() throws {
    try write("# " + String(repeating: "x", count: 1 << 20) + "\n", second: 1)
    #expect(throws: UserFacingError.self) { try budgets.health(of: scene.app, store) }
    let missing = BudgetRepository(scene.installation, file: scene.path + "/nowhere.yaml")
    #expect(throws: UserFacingError.self) { try missing.check(against: [scene.app]) }
  }
}
