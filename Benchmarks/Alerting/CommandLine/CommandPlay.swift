import Core
import Foundation
import Synchronization

/// Plays a scenario through the real commands: a data folder, documents that are imported every three hours, and a
/// `plumb check` after each import, all at simulated times.
struct CommandPlay {
  let scenario: CommandScenario
  private let plumb: PlumbProgram

  static let app = "com.example.shop"
  /// The minutes between two checks.
  private static let step = 180

  /// Plays scenarios in parallel and removes their folders.
  static func figures(of scenarios: [CommandScenario], program: String) throws -> [CommandFigures] {
    let results = Mutex<[Int: Result<CommandFigures, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: scenarios.count) { index in
      let result = Result { try CommandPlay.run(scenarios[index], program) }
      results.withLock { $0[index] = result }
    }
    let found = results.withLock { $0 }
    return try scenarios.indices.compactMap { try found[$0]?.get() }
  }

  private static func run(_ scenario: CommandScenario, _ program: String) throws -> CommandFigures {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plumb-alerting-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try CommandPlay(scenario: scenario, plumb: PlumbProgram(path: program, folder: folder)).run()
  }

  private func run() throws -> CommandFigures {
    let start = Date()
    var fleet = Fleet(scenario.fleet, seed: 1)
    var queue = Arrivals()
    var incidents = PrintedIncidents()
    var statuses: [Int32: Int] = [:]
    var troubles: [String] = []
    let added = try plumb.run("app", "add", Self.app)
    if added.status != 0 { troubles.append("app add: \(added.errors)") }
    for day in 0..<CommandScenario.days {
      queue.add(&fleet, day: day)
      for minute in stride(from: day * 1440 + Self.step, through: (day + 1) * 1440, by: Self.step) {
        let now = NativeDocuments.time(ofMinute: minute).iso
        let events = queue.take(through: minute)
        if !events.isEmpty, let trouble = try importing(events, at: now) { troubles.append(trouble) }
        if let fault = scenario.fault, (0..<Self.step).contains(minute - Int(fault.mended * 1440)) {
          troubles += try resolving(incidents.groups, in: fault.mendedIn)
        }
        let check = try plumb.run("check", "--now", now)
        statuses[check.status, default: 0] += 1
        if ![0, 1, 2].contains(check.status) || !check.errors.isEmpty {
          troubles.append("check of \(now): status \(check.status) \(check.errors)")
        }
        incidents.read(check.output, on: Double(minute) / 1440)
      }
    }
    return CommandFigures(
      scenario, incidents, statuses: statuses, troubles: troubles, seconds: Date().timeIntervalSince(start))
  }

  /// Resolves groups, as a team does after a fix. Returns the errors.
  private func resolving(_ groups: Set<String>, in release: String) throws -> [String] {
    try groups.sorted().compactMap { group in
      let resolved = try plumb.run("groups", "resolve", group, "--app", Self.app, "--in", release)
      return resolved.status == 0 ? nil : "groups resolve \(group): \(resolved.errors)"
    }
  }

  /// Imports the events since the last check. Returns the error, if any.
  private func importing(_ events: [Arrivals.Event], at now: String) throws -> String? {
    let file = plumb.folder.appendingPathComponent("documents.ndjson")
    try NativeDocuments.lines(events).write(to: file, atomically: false, encoding: .utf8)
    let taken = try plumb.run("import", file.path, "--app", Self.app, "--now", now)
    return taken.status == 0 ? nil : "import of \(now): \(taken.errors)"
  }
}
