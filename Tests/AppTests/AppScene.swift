import App
import Decoding
import Foundation
import Health
import Intake
import Logging
import Storage
import Synchronization
import Telemetry
import Testing

/// A data folder of its own with one app, and the services on it.
final class AppScene: Sendable {
  static let app = "com.example.shop"
  static let now = WallClock.now()

  let path: String
  let installation: Installation
  let app: App
  let log = LogLines()

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/plumb-app-\(UUID().uuidString)"
    installation = try Installation.creating(path)
    app = try installation.control.addApp(
      bundleID: Self.app, settings: AppSettings(), key: "0123456789abcdef0123456789abcdef", at: Self.now)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

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

  func write(_ text: String, to name: String) throws -> String {
    let file = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// The settings of a `plumb.yaml` with this text.
  func settings(_ yaml: String) throws -> Settings {
    try Settings(path: try write(yaml, to: "plumb.yaml"), environment: [:])
  }

  func report() throws -> HealthReport {
    try installation.read(app, budgets: nil) { try $0.report(app, now: Self.now) }
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
