import Health
import Storage
import Telemetry
import Testing

struct VersionTests {
  /// Oldest first, as people and semver.org order them.
  private static let ordered = [
    "1.9", "1.10-beta", "1.10-beta.2", "1.10", "1.10.1", "1.010.2", "1.10.3", "2.0.0-rc", "2.0", "2.0.0", "2.0.0.1",
    "v3.1",
    "10.0", "20261120103000999999999",
  ]

  @Test("releases are listed newest version first: numbers as numbers, words before them")
  func order() throws {
    let scene = try Scene()
    var random = SystemRandomNumberGenerator()
    try scene.receive(
      Self.ordered.shuffled(using: &random).map {
        Scene.native(version: $0, #""sessions": [{"id": "\#($0)", "started": "2026-11-20T10:00:00Z", "status": "ok"}]"#)
      })
    #expect(try scene.report().releases.map(\.release.version) == Self.ordered.reversed())
  }
}
