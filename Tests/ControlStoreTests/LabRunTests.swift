import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: runs of performance tests")
struct LabRunTests {
  private func run(
    _ value: Double, release: String = "4.2.0", commit: String = "9fceb02d0ae5", branch: String = "",
    at day: Int64 = 500, series: Int = 1
  ) -> LabRun {
    LabRun(
      release: release, commit: commit, branch: branch, runner: "mini-1",
      imported: Timestamp(milliseconds: day * 86_400_000),
      series: (0..<series).map { number in
        LabSeries(
          test: "LaunchTests/testColdLaunch()", metric: "launch \(number)", title: "Duration", device: "iPhone 15",
          unit: "s", direction: .lower, counterpart: number == 0 ? "launch.first_draw" : nil,
          values: [value, -0.5, 1e15])
      })
  }

  private func withStore(_ body: (SQLiteControlStore, App) throws -> Void) throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      try body(store, try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(1)))
    }
  }

  @Test("a run reads back as it was imported, once, and outdates pages in memory")
  func once() throws {
    try withStore { (store, app) throws in
      let version = try store.version()
      let first = run(0.5, series: 3)
      #expect(try store.keep(first, of: app.id))
      #expect(try store.version() > version)
      var again = first
      again.imported = day(501)
      #expect(try !store.keep(again, of: app.id), "the same measurements and names")
      #expect(try store.labRuns(of: app.id, named: "4.2.0") == [first])
      again.runner = "mini-2"
      #expect(try store.keep(again, of: app.id))
      #expect(try store.labRuns(of: app.id, named: "4.2.0") == [again, first], "newest first")
      var shown = [again, first]
      for index in shown.indices { shown[index].series.removeLast(2) }
      #expect(try store.labRuns(of: app.id, foretelling: "launch.first_draw") == shown)
      #expect(try store.labRuns(of: app.id, foretelling: "memory.peak").isEmpty)
    }
  }

  @Test("a name means a release of the main line, then a commit, then a branch")
  func names() throws {
    try withStore { (store, app) throws in
      let other = try store.addApp(bundleID: "a.c", settings: .init(), key: key("b"), at: day(1))
      let main = run(1)
      let pull = run(2, commit: "aaaabbbbcccc", branch: "faster")
      let confusing = run(3, commit: "ddddeeeeffff", branch: "4.2.0")
      for run in [main, pull, confusing] { #expect(try store.keep(run, of: app.id)) }
      #expect(try store.keep(run(9), of: other.id))
      #expect(try store.labRuns(of: app.id, named: "4.2.0") == [main])
      #expect(try store.labRuns(of: app.id, named: "aaaabbb") == [pull])
      #expect(try store.labRuns(of: app.id, named: "aaaabb").isEmpty, "too short for a commit")
      #expect(try store.labRuns(of: app.id, named: "faster") == [pull])
      #expect(try store.labRuns(of: app.id, named: "9fceb02d0ae5") == [main])
      for name in ["", "fast", "4.2", "%", "aaaabbbbccccd", "' OR 1"] {
        #expect(try store.labRuns(of: app.id, named: name).isEmpty, "\(name)")
      }
      #expect(try store.labRuns(of: app.id, foretelling: "launch.first_draw").count == 1, "only the main line")
      for value in 0..<50 { #expect(try store.keep(run(Double(value) + 100), of: app.id)) }
      let newest = try store.labRuns(of: app.id, named: "4.2.0")
      #expect(newest.count == 40 && newest[0].series[0].values[0] == 149)
    }
  }

  @Test("runs expire: those of a branch after 30 days, others after 400, and all with their app")
  func expiry() throws {
    try withStore { (store, app) throws in
      #expect(try store.keep(run(1, at: 500), of: app.id))
      #expect(try store.keep(run(2, branch: "faster", at: 500), of: app.id))
      #expect(try store.keep(run(3, at: 529), of: app.id))
      #expect(try store.labRuns(of: app.id, named: "faster").count == 1)
      #expect(try store.keep(run(4, at: 531), of: app.id))
      #expect(try store.labRuns(of: app.id, named: "faster").isEmpty)
      #expect(try store.labRuns(of: app.id, named: "4.2.0").count == 3)
      #expect(try store.keep(run(5, at: 901), of: app.id))
      #expect(try store.labRuns(of: app.id, named: "4.2.0").map { $0.series[0].values[0] } == [5, 4, 3])
      try store.removeApp(app.id)
      #expect(try store.labRuns(of: app.id, named: "4.2.0").isEmpty)
      #expect(throws: ControlError.self) { try store.keep(run(6), of: app.id) }
    }
  }

  @Test("an app may import 500 runs a day; more are refused, and delete none")
  func flood() throws {
    try withStore { (store, app) throws in
      #expect(try store.keep(run(0.25, at: 498), of: app.id))
      for value in 0..<500 { #expect(try store.keep(run(Double(value), branch: "x"), of: app.id)) }
      #expect(throws: ControlError.self) { try store.keep(run(1_000), of: app.id) }
      #expect(try store.labRuns(of: app.id, named: "4.2.0").count == 1)
      #expect(try store.keep(run(1_000, at: 502), of: app.id))
    }
  }

  @Test("all runs of an app together are bounded in bytes")
  func bytes() throws {
    try withStore { (store, app) throws in
      var big = run(1, branch: "x")
      big.series[0].values = Array(repeating: 1, count: 1 << 20)
      for number in 0..<7 {
        big.commit = "000000\(number)"
        #expect(try store.keep(big, of: app.id))
      }
      big.commit = "0000009"
      #expect(throws: ControlError.self) { try store.keep(big, of: app.id) }
      #expect(try store.keep(run(1), of: app.id), "a small one fits")
    }
  }
}
