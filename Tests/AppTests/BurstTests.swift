import Testing

@testable import Analysis
@testable import App
@testable import Core
@testable import Storage

@Suite("A burst of invented good sessions")
struct BurstTests {
  private static let hour: Int64 = 3_600_000

  private static func ago(hours: Int64, minutes: Int64 = 0) -> Timestamp {
    Timestamp(milliseconds: AppScene.now.milliseconds - hours * hour - minutes * 60_000)
  }

  /// Three days in which people use 2.0, a third of whose sessions crash; in the last `fixed` hours most have 2.1.
  private static func scene(fixed: Int64 = 0) throws -> (AppScene, Pipeline) {
    let scene = try AppScene()
    let pipeline = try scene.pipeline()
    for hours in stride(from: Int64(70), through: 0, by: -2) {
      let isFixed = hours < fixed
      let old = AppScene.sessions(
        isFixed ? 1 : 9, crashed: isFixed ? 0 : 3, prefix: "h\(hours)", release: "2.0", started: ago(hours: hours))
      let new = AppScene.sessions(isFixed ? 40 : 0, prefix: "n\(hours)", release: "2.1", started: ago(hours: hours))
      #expect(try scene.send(old + new, to: pipeline, at: ago(hours: hours)) == [])
    }
    return (scene, pipeline)
  }

  private static func result(_ scene: AppScene) throws -> (judgement: Judgement, ended: String?) {
    try scene.installation.read(scene.app, budgets: nil) { reader in
      let input = try reader.alertRuleInput(scene.app, now: AppScene.now)
      let key = BreachKey(.burn, slice: Slice(environment: "production", release: "2.0 (1234)"))
      let breach = Breach(
        key: key, severity: .critical, since: ago(hours: 50), opened: ago(hours: 50), lastCount: 1,
        evidence: Evidence(summary: "", headline: ""))
      return (
        try reader.judgement(scene.app, now: AppScene.now),
        IncidentRules(thresholds: AlertThresholds()).retired(breach, input)
      )
    }
  }

  @Test(
    "invented good sessions of another release, of any name and days, end no incident and turn no hold into a ship",
    arguments: ["99.0", "2.0.1", "1.0"])
  func otherRelease(release: String) throws {
    let (scene, pipeline) = try Self.scene()
    // In two bursts on two days of ten minutes each, back-dated over the last day and evenly spread over its hours.
    for (burst, hours) in [Int64(26), 1].enumerated() {
      for part in Int64(0)..<12 {
        let bodies = AppScene.sessions(
          40, prefix: "x\(burst)-\(part)-", release: release, started: Self.ago(hours: hours + 2 * part))
        #expect(try scene.send(bodies, to: pipeline, at: Self.ago(hours: hours, minutes: part)) == [])
      }
    }
    pipeline.stop()
    let found = try Self.result(scene)
    #expect(found.judgement.release?.release.version == "2.0" && found.judgement.advice == .hold)
    #expect(found.ended == nil)
  }

  @Test("invented sessions differ from users who move to a fixed release, which supersedes the bad one after a day")
  func honest() throws {
    let (scene, pipeline) = try Self.scene(fixed: 34)
    pipeline.stop()
    let found = try Self.result(scene)
    #expect(found.judgement.release?.release.version == "2.1" && found.judgement.advice != .hold)
    #expect(found.ended?.hasPrefix("2.0 (1234) is superseded by 2.1 (1234), in use in 17 of") == true, "\(found)")
  }
}
