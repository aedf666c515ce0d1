import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// What was sent is compared with what the page says became of it.
struct DataQualityQueryTests {
  private static func quality(of scene: Scene, now: Timestamp = Scene.now) throws -> DataQuality {
    try HealthReader(store: scene.store, budgets: []).dataQuality(Scene.app, now: now)
  }

  private static func value(environment: String = "production", version: String = "1.0", day: String) -> String {
    """
    {"app": {"version": "\(version)"}, "environment": "\(environment)",
    "measurements": [{"metric": "screen.load", "value": 4, "unit": "ms", "at": "\(day)T10:00:00Z"}]}
    """
  }

  @Test("every body is accepted, rejected or a duplicate, and is counted once")
  func outcomes() throws {
    let scene = try Scene()
    try scene.receive([Self.value(day: "2026-11-20"), Self.value(version: "1.1", day: "2026-11-19")], client: "Shop/1")
    try scene.receive([Self.value(environment: "simulated", day: "2026-11-20")], client: "Xcode")
    try scene.offer(["{", #"{"sessions": [{"status": 4}]}"#, #"{"sessions": [{"status": 5}]}"#], client: "Shop/2")
    try scene.receive([Self.value(day: "2026-11-18"), Self.value(day: "2026-11-18")], key: "k")
    try scene.receive([Self.value(day: "2026-11-10")], key: "k")
    let quality = try Self.quality(of: scene)
    #expect(quality.accepted == 4 && quality.received == 9)
    #expect(quality.counts[.rejected]?.map(\.reason) == ["type", "syntax"])
    #expect(quality.counts[.rejected]?.first?.lastDetail.hasPrefix("sessions[0].status: ") == true)
    #expect(quality.count(.setApart, "simulated") == 1)
    #expect(quality.total(.duplicate) == 2)
    #expect(quality.count(.duplicate, "idempotency key, other content") == 1)
    let shop = quality.clients.filter { $0.client == "Shop/1" }
    #expect(shop.map(\.release).sorted() == ["1.0", "1.1"] && shop.allSatisfy { $0.accepted == 1 })
    #expect(quality.clients.first { $0.client == "Shop/2" }?.rejected == 3)
  }

  @Test("a report's lateness is the age of its newest day")
  func lateness() throws {
    let scene = try Scene()
    let days = ["2026-11-20", "2026-11-19", "2026-11-18", "2026-11-13", "2026-11-12", "2026-10-23", "2026-10-22"]
    try scene.receive(days.map { Self.value(day: $0) })
    let late = Dictionary(
      uniqueKeysWithValues: try (Self.quality(of: scene).counts[.late] ?? []).map { ($0.reason, $0.count) })
    #expect(late == ["2 to 7 days": 2, "8 to 28 days": 2, "more than 28 days": 1])
  }

  @Test("a diagnostic that is sent again within seven days counts once, and is listed")
  func repeatedDiagnostics() throws {
    let scene = try Scene()
    let crash = { (reason: String) in
      #"{"app": {"version": "1.0"}, "crashes": [{"at": "2026-11-20T10:00:00Z", "exception": "\#(reason)"}]}"#
    }
    try scene.receive([crash("A"), crash("B"), crash("A")])
    let week: Int64 = 7 * 86_400_000
    try scene.receive([crash("A")], at: Timestamp(milliseconds: Scene.now.milliseconds + week - 1))
    try scene.receive([crash("B")], at: Timestamp(milliseconds: Scene.now.milliseconds + week + 1))
    let later = Timestamp(milliseconds: Scene.now.milliseconds + week + 1)
    #expect(try Self.quality(of: scene, now: later).total(.repeatedDiagnostic) == 2)
    let count = try scene.report().metrics.first { $0.name == "crash.count" }
    #expect(count?.value.value == 3)
  }
}
