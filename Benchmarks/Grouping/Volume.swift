import Analysis
import Core
import Dispatch
import Foundation
import Ingest
import LabelledCauses
import SQLiteStore
import Storage

/// Many large diagnostics of many causes, from the body of a request to the page of a group, in a new folder.
final class Volume {
  private let folder: URL
  private let diagnostics: Int
  private let causes: Int
  private let size: Int
  private let permits = DispatchSemaphore(value: 256)
  private let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0), settings: AppSettings(), keys: [])

  init(folder: URL, diagnostics: Int, causes: Int, size: Int) {
    self.folder = folder
    self.diagnostics = diagnostics
    self.causes = causes
    self.size = size
  }

  func run() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let samples = try SQLiteSampleStore(path: path("samples.db"))
    let store = try SQLiteStore(path: path("plumb.db"), samples: samples)
    let set = LabelledSet(causes: causes, variants: 4, cut: 0)
    let now = try ingest(set, store)
    try measure("names for \(set.symbols.values.reduce(0) { $0 + $1.count }) places, groups merged") {
      try store.regroup(symbols: MemorySymbols(set.symbols))
    }
    try measure("samples thinned, bounded to 1 GiB") {
      try store.boundSamples()
    }
    try pages(store, MemorySymbols(set.symbols), now)
    for name in ["samples.db", "plumb.db", "journal.db"] { print("\(name): \(megabytes(name)) MB") }
  }

  /// Returns a time just after the last diagnostic.
  private func ingest(_ set: LabelledSet, _ store: SQLiteStore) throws -> Timestamp {
    let journal = try SQLiteJournal(path: path("journal.db")) { try store.position(of: $0).through }
    let loop = DigestLoop(journal: journal, store: store) { print("digest: \($0)") }
    let start = try Self.require(CalendarDay(iso: "2026-10-01"))
    let tallies = OutcomeCounter { start.startUTC }
    let writer = JournalWriter(journal: journal, counts: tallies.drain) { loop.offer($0) }
    let intake = Intake(
      seal: Pseudonymizer(
        hash: { text, scope in Fingerprint.hash(of: [scope, text]) }),
      context: { DecodingContext(received: $0.received) }, writer: writer, tallies: tallies)
    try loop.start()
    writer.start()
    let payload = CrashPayload(size: size)
    let decoder = PayloadDecoder()
    let crashes = set.samples.filter { $0.kind == .crash }
    var bytes = 0
    var made = 0.0
    let clock = ContinuousClock()
    let elapsed = try clock.measure {
      for number in 0..<diagnostics {
        let day = start + number * 28 / diagnostics
        var body: [UInt8] = []
        made += Self.seconds(
          clock.measure { body = payload.json(crashes[number % crashes.count], day: day.iso, number: number) })
        bytes += body.count
        permits.wait()
        let received = Timestamp(milliseconds: day.startUTC.milliseconds + 86_400_000)
        try body.withUnsafeBytes { bytes in
          try intake.receive(bytes, Submission(app: 1, received: received), decoder: decoder) { [permits] _ in
            permits.signal()
          }
        }
        // Purges the journal like the server's maintenance.
        if number % 10_000 == 9_999 {
          try journal.purge(
            through: try store.watermark(of: journal.node), olderThan: start.startUTC, keepingAtMost: 1 << 28)
        }
      }
      writer.stop()
      loop.stop()
    }
    let whole = Self.seconds(elapsed)
    print("\(diagnostics) diagnostics of \(bytes / diagnostics / 1000) kB: \(Self.text(whole)) s, ", terminator: "")
    print("\(Self.text(made)) s of them to make the bodies; \(Int(Double(diagnostics) / (whole - made))) a second")
    return (start + 28).startUTC
  }

  private func pages(_ store: SQLiteStore, _ symbols: MemorySymbols, _ now: Timestamp) throws {
    let groups = GroupReader(
      store: store, health: HealthReader(store: store, budgets: []), states: NobodySaid(), symbols: symbols
    ) { sample in
      let bytes = try sample.calls.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: 64 << 20) }
      return try bytes.withUnsafeBytes { try CallTree(recorded: $0) }
    }
    var list: GroupList?
    for turn in ["first", "second"] {
      try measure("the list of groups, \(turn) time") { list = try groups.groups(app, now: now) }
    }
    let known = try Self.require(list)
    print("\(known.total) groups, \(known.diagnostics) diagnostics in the window")
    for (name, group) in [("largest", known.groups.first), ("a small", known.groups.last)] {
      try measure("the page of the \(name) group") { _ = try groups.group(app, named: group?.id ?? "", now: now) }
    }
    try measure("what a release's crashes are") { _ = try groups.impact(app, release: "4.2.0", now: now) }
  }

  private func measure(_ what: String, _ work: () throws -> Void) throws {
    print("\(what): \(Self.text(Self.seconds(try ContinuousClock().measure(work)))) s")
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func megabytes(_ name: String) -> Int {
    ["", "-wal"].reduce(0) { sum, ending in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path(name + ending))
      return sum + ((attributes?[.size] as? Int) ?? 0)
    } / 1_000_000
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private static func text(_ seconds: Double) -> String { String(format: "%.3f", seconds) }

  private static func require<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
  }

  private struct Missing: Error {}
}

/// Every group is open.
private struct NobodySaid: GroupDecisions, GroupNotes {
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { [:] }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {}
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws {}
}
