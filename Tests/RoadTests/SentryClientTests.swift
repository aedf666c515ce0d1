import Foundation
import Testing
import TestSupport

@Suite("The real Sentry client", .enabled(if: RealClients.python != nil, Comment(rawValue: RealClients.missing)))
struct SentryClientTests {
  @Test("the counts of a real Sentry client equal its own, run after run", arguments: ["plain", "gzip"])
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

  @Test("a real Sentry client measures launches, screens, frames and custom metrics")
  func measurements() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let client = try stage.run(
      program: try #require(RealClients.python),
      [RealClients.script("sentry_measurements.py"), "http://\(key)@127.0.0.1:\(server.port)/1"])
    try #require(client.succeeded, "\(client.errors)")
    let truth = try JSON(client.output)
    let report = try stage.report {
      $0.metric("launch.first_draw")["n"].integer == truth["launches"].integer
        && $0.metric("screen.load")["n"].integer == 10
    }
    let launches = report.metric("launch.first_draw")
    #expect(launches["n"].integer == truth["launches"].integer && launches["source"].text == "Sentry")
    #expect(launches["min"].number == truth["min"].number && launches["max"].number == truth["max"].number)
    let p90 = try #require(launches["p90"]["value"].number)
    #expect(abs(p90 - (truth["p90"].number ?? 0)) <= 0.011 * p90, "\(p90)")
    #expect(report.metric("app_start_cold")["n"].integer == truth["launches"].integer)
    #expect(report.metric("frames_total")["value"]["value"].number == 4800)
    #expect(report.metric("frames_slow_rate")["n"].integer == truth["launches"].integer)
    #expect(report.metric("basket")["unit"].text == "B" && report.metric("basket")["max"].number == 2500)
    #expect(report.metric("checkout.failed")["value"]["value"].number == 20)
    #expect(report.metric("queue.depth")["n"].integer == 10 && report.metric("queue.depth")["max"].number == 9)
    #expect(report.metric("screen.load")["max"].number == 1000)
    let slice = try stage.report("--release", "4.2.0", "--device", "iPhone15,2", "--os", "iOS 17.4.1")
    #expect(slice.metric("launch.first_draw")["n"].integer == truth["launches"].integer)
  }
}
