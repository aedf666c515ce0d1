import Foundation
import Testing

@Suite("The real Sentry client", .enabled(if: RealClients.python != nil, Comment(rawValue: RealClients.missing)))
struct SentryClientTests {
  @Test("is counted as it counts itself, run after run", arguments: ["plain", "gzip"])
  func runs(coding: String) throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let python = try #require(RealClients.python)
    let dsn = "http://\(key)@127.0.0.1:\(server.port)/1"
    for run in 1...2 {
      let ended = try stage.run(program: python, [RealClients.script("sentry_client.py"), dsn, coding])
      #expect(ended.ending == .exit(1) && ended.errors.contains("RuntimeError: the end"), "\(ended.errors)")
      let report = try stage.report {
        $0["sessions"]["total"].integer == 12 * run && $0.metric("error.count")["sum"].integer == 4 * run
          && $0.metric("crash.count")["sum"].integer == run
      }
      let sessions = report["sessions"]
      #expect(sessions["total"].integer == 12 * run)
      #expect(sessions["healthy"].integer == 7 * run && sessions["errored"].integer == 4 * run)
      #expect(sessions["crashed"].integer == run && sessions["abnormal"].integer == 0)
      #expect(report.metric("crash.count")["sum"].integer == run)
      #expect(report.metric("error.count")["sum"].integer == 4 * run)
      #expect(report["users"]["total"].integer == 1 && report["users"]["crashed"].integer == 1)
      let release = report["releases"][0]
      #expect(release["release"].text == "4.2.0" && release["build"].text == "1234", "\(report["releases"])")
    }
  }
}
