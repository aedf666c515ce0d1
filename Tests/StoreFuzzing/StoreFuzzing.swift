import Analysis
import Core
import Foundation
import PayloadRoad
import SQLiteStore
import Storage
import Web

/// The mutations of `conformance` down the whole road: decoder, record, digest, store, and every few hundred the report and
/// what pages read. Slow, because every run is a transaction, so that it needs no build for release. A trap ends the process;
/// a batch that the store refuses is an error.
@main
struct StoreFuzzing {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let seconds = Double(arguments[1]) else {
      print("usage: store-fuzzing SECONDS CORPUS [SEED]")
      exit(64)
    }
    let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : 1
    let done = try run(URL(fileURLWithPath: arguments[2]), seconds: seconds, seed: seed)
    print("\(done.runs) mutations through the store and \(done.reports) reports in \(Int(seconds)) s, none trapped")
  }

  private static let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0), settings: AppSettings(), keys: [])

  private static func run(_ corpus: URL, seconds: Double, seed: UInt64) throws -> (runs: Int, reports: Int) {
    let names = try FileManager.default.contentsOfDirectory(atPath: corpus.path).sorted()
    let inputs = try names.map { [UInt8](try Data(contentsOf: corpus.appending(path: $0))) }.filter { !$0.isEmpty }
    guard !inputs.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteStore(
      path: folder.appending(path: "plumb.db").path,
      samples: SQLiteSampleStore(path: folder.appending(path: "samples.db").path))
    let road = PayloadRoad()
    var mutation = Mutation(seed: seed)
    var (runs, reports) = (0, 0)
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      for input in inputs {
        runs += 1
        let bytes = mutation.mutate(input, with: inputs[runs &* 7919 % inputs.count])
        if var batch = bytes.withUnsafeBytes({ road.batch(of: $0) }) {
          batch.from = try store.position(of: batch.node).through + 1
          batch.through = batch.from
          try store.apply(batch)
        }
        if runs % 400 == 0 {
          try read(store)
          reports += 1
        }
      }
    }
    return (runs, reports)
  }

  private static func read(_ store: SQLiteStore) throws {
    let reader = HealthReader(store: store, budgets: [])
    let now = PayloadRoad.received
    _ = try reader.report(app, now: now).json()
    _ = try reader.check(app, now: now)
    _ = try reader.alertRuleInput(app, now: now)
    _ = try reader.dataQuality(app, now: now).json()
    try store.compact(now: now)
  }
}
