import Foundation
import Testing
import TestSupport

@Suite("Imports from other clients") struct ImportFormatTests {
  @Test("an envelope, OTLP and diagnostics are distinguished without a URL")
  func formats() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let fixtures = Checkout.path("Tests/Conformance/Fixtures")
    let result = try stage.run(
      "import", fixtures + "/payloads", fixtures + "/sentry", fixtures + "/otlp", "--app", Payload.app, limit: 600)
    #expect(result.succeeded, "\(result.errors)")
    let report = try JSON(stage.run("report", "--app", Payload.app, "--format", "json").output)
    let names = Set(report["metrics"].list.compactMap { $0["name"].text })
    for name in ["crash.count", "hang.count", "launch.first_draw", "screen.load", "time.foreground"] {
      #expect(names.contains(name), "\(name)")
    }
  }
}
