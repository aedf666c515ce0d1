import Analysis
import Core
import Dispatch
import Foundation
import Storage

/// A large fleet from request to report. Every number is compared with brute force over the sent data.
struct Scale {
  let payloads: Int

  func run() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plumb-truth-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let road = try Road(folder: folder)
    var fleet = ScaleFleet(userDays: payloads)
    var making = 0.0
    let start = now()
    for number in 0..<payloads {
      let before = now()
      let bodies = [fleet.payload(number), fleet.document(number)].map { Array($0.utf8) }
      making += now() - before
      for body in bodies { try road.send(body, received: fleet.received(number)) }
    }
    road.finish()
    let seconds = now() - start - making
    fleet.truth.sort()
    let asked = now()
    let report = try HealthReader(store: road.store, budgets: []).report(
      Road.app, now: ScaleFleet.today.startUTC)
    print("\(payloads) MetricKit payloads and \(payloads) documents with \(report.sessions.total) sessions")
    print(String(format: "from bytes into the store in %.0f s: %.0f bodies/s", seconds, 2 * Double(payloads) / seconds))
    print(String(format: "report in %.2f s", now() - asked))
    print("store \(try road.size(of: "plumb.db") >> 20) MiB, journal \(try road.size(of: "journal.db") >> 20) MiB\n")
    let faults = ScaleComparison(truth: fleet.truth, report: report).print()
    if faults > 0 {
      print("\(faults) numbers are wrong")
      exit(1)
    }
  }

  /// The uptime in seconds.
  private func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
