package import Analysis
package import Core
import Ingest
package import SQLiteStore
package import Storage
import Synchronization
import TestSupport

/// The real road in one folder: bodies of requests in, reports out.
package final class Scene {
  /// 2026-11-20T12:00:00Z
  package static let now = Timestamp(milliseconds: 1_795_176_000_000)
  package static let today = CalendarDay(number: 20_777)
  package static let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0), settings: AppSettings(), keys: [])

  let folder: TemporaryFolder
  package let store: SQLiteStore
  private let journal: SQLiteJournal
  private let decoder = PayloadDecoder()

  package init(samples: SampleLimits? = nil) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let bodies = try samples.map { try SQLiteSampleStore(path: folder.path + "/samples.db", limits: $0) }
    let store = try SQLiteStore(path: folder.path + "/plumb.db", samples: bodies)
    self.store = store
    journal = try SQLiteJournal(path: folder.path + "/journal.db") {
      try store.position(of: $0).through
    }
  }

  /// Receives bodies of requests at `received`, as the server does, and digests them.
  package func receive(
    _ bodies: [String], at received: Timestamp = now, clock: TimeZoneOffsets = .utc, client: String = "",
    key: String? = nil, attributes: [String] = []
  ) throws {
    let tallies = OutcomeCounter { received }
    let writer = JournalWriter(journal: journal, counts: tallies.drain, committed: { _ in })
    let intake = Intake(
      seal: Pseudonymizer(
        hash: { text, scope in
          let hash = (scope + "/" + text).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
          return (hash ^ (hash >> 29)) &* 0xbf58_476d_1ce4_e5b9
        }),
      context: { DecodingContext(received: $0.received, clock: clock, attributes: attributes) },
      writer: writer, tallies: tallies)
    writer.start()
    let outcome = Result {
      for body in bodies {
        let bytes = Array(body.utf8)
        try bytes.withUnsafeBytes { buffer in
          try intake.receive(
            buffer, Submission(app: 1, received: received, client: client, idempotencyKey: key), decoder: decoder,
            completion: { _ in })
        }
      }
    }
    try digest(writer)
    try outcome.get()
  }

  private func digest(_ writer: JournalWriter) throws {
    writer.stop()
    try digest(into: store)
  }

  /// Digests what was received into a store, from the first record that it has not had.
  package func digest(into store: any Store) throws {
    let failures = Mutex<[any Error]>([])
    let loop = DigestLoop(journal: journal, store: store) { error in failures.withLock { $0.append(error) } }
    try loop.start()
    loop.stop()
    if let failure = failures.withLock({ $0.first }) { throw failure }
  }

  /// Receives bodies of which some are refused.
  package func offer(_ bodies: [String], client: String) throws {
    for body in bodies {
      do { try receive([body], client: client) } catch is DecodingFailure {}
    }
  }

  package func reader(_ budgets: String...) throws -> HealthReader {
    try reader(yaml: "budgets:\n" + budgets.map { "  - \"\($0)\"\n" }.joined())
  }

  package func reader(yaml: String) throws -> HealthReader {
    HealthReader(store: store, budgets: try BudgetFile.parse(yaml, fileName: "budgets.yaml").budgets)
  }

  package func report(_ query: ReportQuery = .init(), now: Timestamp = now, budgets: String...) throws -> HealthReport {
    let yaml = "budgets:\n" + budgets.map { "  - \"\($0)\"\n" }.joined()
    let parsed = budgets.isEmpty ? [] : try BudgetFile.parse(yaml, fileName: "budgets.yaml").budgets
    return try HealthReader(store: store, budgets: parsed).report(Self.app, query, now: now)
  }

  /// A document of the native format.
  package static func native(
    version: String = "4.2.0", build: String = "", model: String = "iPhone15,2", os: String = "iOS 17.4.1",
    environment: String = "production", installation: String? = nil,
    firstRun: (day: CalendarDay, isCurrent: Bool)? = nil,
    _ parts: String
  ) -> String {
    let run =
      firstRun.map { ", \"first_run\": \"\($0.day.iso)T09:00:00Z\", \"in_first_run\": \($0.isCurrent)" } ?? ""
    let user = installation.map { "\"installation\": \"\($0)\", " } ?? ""
    return """
      {"app": {"bundle_id": "com.example.shop", "version": "\(version)", "build": "\(build)"\(run)}, \
      "device": {"model": "\(model)", "os": "\(os)"}, "environment": "\(environment)", \(user)\(parts)}
      """
  }

  /// Sessions of users of their own, the first `crashed` of them crashed, spread over documents of a thousand.
  package static func sessions(
    _ count: Int, crashed: Int, prefix: String = "s", started: String = "2026-11-17T10:00:00Z",
    version: String = "4.2.0",
    environment: String = "production"
  ) -> [String] {
    stride(from: 0, to: count, by: 1000).map { first in
      let parts = (first..<min(count, first + 1000)).map { number in
        """
        {"id": "\(prefix)\(number)", "started": "\(started)", "status": "\(number < crashed ? "crashed" : "exited")"}
        """
      }
      return native(version: version, environment: environment, "\"sessions\": [\(parts.joined(separator: ","))]")
    }
  }

  /// One document per value list: each a cluster.
  package static func samples(
    _ metric: String, _ unit: String, _ values: [[Double]], at: String = "2026-11-20T10:00:00Z", label: String? = nil
  ) -> [String] {
    let rest = #""unit": "\#(unit)", "at": "\#(at)""# + (label.map { #", "label": "\#($0)""# } ?? "")
    return values.map { own in
      let parts = own.map { #"{"metric": "\#(metric)", "value": \#($0), \#(rest)}"# }
      return native("\"measurements\": [\(parts.joined(separator: ","))]")
    }
  }
}
