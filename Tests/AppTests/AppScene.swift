import Foundation
import Logging
import Synchronization
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage
@testable import Web

/// A data folder of its own with one app, and the services on it.
final class AppScene: Sendable {
  static let app = "com.example.shop"
  static let now = WallClock.now()

  private let folder: TemporaryFolder
  let installation: Installation
  let app: App
  let log = LogLines()

  init() throws {
    folder = try TemporaryFolder("plumb-app")
    installation = try Installation.creating(folder.path)
    app = try installation.control.addApp(
      bundleID: Self.app, settings: AppSettings(attributes: ["experiment", "region"]),
      key: "0123456789abcdef0123456789abcdef",
      at: Self.now)
  }

  var path: String { folder.path }

  var logger: Logger { Logger(label: "test") { [log] _ in log } }

  func pipeline(migrating: Bool = false, staying: Bool = false) throws -> Pipeline {
    try Pipeline(installation, migrating: migrating, staying: staying, logger: logger)
  }

  /// Sends native documents through a pipeline's intake and waits until each is durable. Returns why some are not.
  /// `isKeyed`: each has an idempotency key, the same whenever it is sent.
  func send(
    _ bodies: [String], to pipeline: Pipeline, at received: Timestamp = AppScene.now, isKeyed: Bool = false
  ) throws -> [String] {
    let decoder = PayloadDecoder()
    let stored = DispatchGroup()
    let failures = Mutex<[String]>([])
    for body in bodies {
      stored.enter()
      try Array(body.utf8).withUnsafeBytes { bytes in
        let submission = Submission(app: app.id, received: received, idempotencyKey: isKeyed ? body : nil)
        try pipeline.intake.receive(bytes, submission, decoder: decoder) { result in
          if case .failure(let error) = result { failures.withLock { $0.append("\(error)") } }
          stored.leave()
        }
      }
    }
    try #require(stored.wait(timeout: .now() + 60) == .success)
    return failures.withLock { $0 }
  }

  /// Imports native documents as a command does: with a pipeline that is stopped afterwards.
  func fill(_ bodies: [String], at received: Timestamp = AppScene.now) throws {
    let pipeline = try pipeline()
    #expect(try send(bodies, to: pipeline, at: received) == [])
    pipeline.stop()
  }

  /// One document per session: `count` people with one session each, the first `crashed` of which crashed.
  static func sessions(
    _ count: Int, crashed: Int = 0, prefix: String = "a", release: String = "4.2.0", started: Timestamp = now
  ) -> [String] {
    (0..<count).map { number in
      """
      {"app":{"bundle_id":"\(app)","version":"\(release)","build":"1234"},\
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1 (21E236)"},"installation":"\(prefix)-\(number)",\
      "sessions":[{"id":"\(prefix)\(number)","status":"\(number < crashed ? "crashed" : "exited")",\
      "started":"\(started.iso)"}]}
      """
    }
  }

  /// `days` before now, at the same time of day.
  static func ago(days: Int) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds - Int64(days) * 86_400_000)
  }

  func write(_ text: String, to name: String) throws -> String { try folder.write(text, to: name) }

  /// The settings of a `plumb.yaml` with this text.
  func settings(_ yaml: String) throws -> Settings {
    try Settings(path: try write(yaml, to: "plumb.yaml"), environment: [:])
  }

  func report(_ query: ReportQuery = .init()) throws -> HealthReport {
    try installation.read(app, budgets: nil) { try $0.report(app, query, now: Self.now) }
  }
}

/// A log that keeps its lines.
final class LogLines: LogHandler, Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func log(event: LogEvent) { state.withLock { $0.append("\(event.level) \(event.message)") } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
}

// MARK: Deleting

extension AppScene {
  /// Imports documents under an idempotency key, the first of which has it.
  func fill(_ bodies: [String], key: String?) throws {
    guard let key else { return try fill(bodies) }
    let pipeline = try pipeline()
    let stored = DispatchGroup()
    for body in bodies {
      stored.enter()
      try Array(body.utf8).withUnsafeBytes { bytes in
        let submission = Submission(app: app.id, received: Self.now, idempotencyKey: key)
        try pipeline.intake.receive(bytes, submission, decoder: PayloadDecoder()) { _ in stored.leave() }
      }
    }
    try #require(stored.wait(timeout: .now() + 60) == .success)
    pipeline.stop()
  }

  func delete(_ scope: ErasureScope) throws -> Erasure {
    let deletion = try CommandDeletion(installation, settings: try settings("listen: 127.0.0.1:1\n"), logger: logger)
    defer { deletion.end() }
    return try deletion.run(scope, of: app, by: "the test") {}
  }

  func hash(_ text: String, scope: String) throws -> UInt64 {
    let deletion = try CommandDeletion(installation, settings: try settings("listen: 127.0.0.1:1\n"), logger: logger)
    defer { deletion.end() }
    return deletion.identity.hash(text, scope: scope)
  }

  /// The reports on everything and on values of the app's attribute as JSON, without the position in the journal, which counts what was ever sent.
  func numbers() throws -> String {
    try [nil, "experiment=new-cart", "experiment!=new-cart", "region=DE"].map { filter in
      var report = try report(ReportQuery(attribute: filter.flatMap { AttributeFilter($0) }))
      report.digestedThrough = 0
      return String(decoding: report.json(), as: UTF8.self)
    }.joined()
  }

  /// Deletes what three days of retention delete: the journal's records and the arrivals.
  func clearJournal() throws {
    try sqlite(installation.folder.journal, "DELETE FROM batch")
    try sqlite(installation.folder.plumb, "DELETE FROM arrival")
  }

  /// Every name and count that the store has of an app, without ids, scores and times.
  func names(of id: AppID = 1) throws -> [String] {
    let queries = [
      "SELECT 'environment', name FROM environment WHERE app = \(id)",
      "SELECT 'release', version, build FROM release WHERE app = \(id)",
      "SELECT 'os', name FROM os WHERE app = \(id)", "SELECT 'device', model FROM device WHERE app = \(id)",
      "SELECT 'attribute', name, value FROM attribute WHERE app = \(id) AND name <> ''",
      """
      SELECT 'set', (SELECT group_concat(text) FROM (SELECT value.name || '=' || value.value AS text
        FROM attribute_member JOIN attribute AS value ON value.id = attribute_member.attribute
        WHERE attribute_set = attribute.id ORDER BY value.name))
      FROM attribute WHERE app = \(id) AND name = ''
      """,
      "SELECT 'metric', name FROM metric WHERE app = \(id)", "SELECT 'label', name FROM label WHERE app = \(id)",
      "SELECT 'session', count(*) FROM session WHERE app = \(id) HAVING count(*) > 0",
      "SELECT 'diagnostic', count(*) FROM diagnostic WHERE app = \(id) HAVING count(*) > 0",
      "SELECT 'group', count(*), sum(symbolic) FROM diagnostic_group WHERE app = \(id) HAVING count(*) > 0",
      "SELECT 'signature', first_day, last_day, count FROM signature_life JOIN signature ON id = signature WHERE app = \(id)",
      "SELECT 'binary', uuid, name, own FROM image WHERE app = \(id)",
      "SELECT 'lifetime', first_day, last_day FROM release_life JOIN environment ON environment.id = environment WHERE app = \(id)",
      "SELECT 'arrival', start, sum(seen), sum(crashed) FROM arrival JOIN environment ON environment.id = environment WHERE app = \(id) GROUP BY start",
      "SELECT 'slices', kind, count(*) FROM slice WHERE app = \(id) GROUP BY kind",
    ]
    return try queries.flatMap { try sqlite(installation.folder.plumb, $0) }.sorted()
  }

  /// Lines of the sqlite3 program, which knows nothing of this code.
  @discardableResult func sqlite(_ path: String, _ sql: String) throws -> [String] { try SQLFile.run(sql, in: path) }
}
