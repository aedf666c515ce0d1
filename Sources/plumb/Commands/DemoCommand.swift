import App
import ArgumentParser
import Core
import Foundation
import Logging
import Storage

/// The command `plumb demo`: fills a data folder with demo data.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Fill a data folder with demo data.",
    discussion: """
      Example:
        plumb demo --data demo-data && plumb serve --data demo-data --open

      The demo has four weeks of data for two apps; the newest release of the larger app is worse than the others. A \
      demo folder that was filled before yesterday is emptied and filled again. Folders with other data are refused.
      """)

  @Option(help: "The number of users of the larger app, from 10 to 20000.")
  var users = 900

  @Option(help: "A ClickHouse server for the rows, as for `plumb serve`. Its database must have no rows.")
  var store: [String] = []

  @OptionGroup var folder: FolderOptions

  /// The name of the file that marks a demo folder and contains the time of filling. Only folders with this file are
  /// emptied.
  private static let marker = "demo.txt"
  private static let days = 28
  /// The number of days before today at whose end alert rules are evaluated. Nothing happens before them.
  private static let judgedDays = 11

  func run() throws {
    guard (10...20_000).contains(users) else {
      throw ValidationError("--users: expected 10 to 20000, found \(users).")
    }
    let path = try folder.path()
    guard try prepare(path) else {
      Console.print("\(path) already holds current demo data.")
      return
    }
    // Written first, so that the next run can refill the folder of an interrupted run.
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try "filling".write(toFile: path + "/" + Self.marker, atomically: false, encoding: .utf8)
    let installation = try Installation.creating(path)
    if let servers = try folder.settings().rowServers(flags: store) { try installation.use(servers) }
    let now = WallClock.now()
    let fleets = [
      DemoFleet(.shop(users: users), today: now.day()), DemoFleet(.notes, today: now.day()),
    ]
    let pipeline = try Pipeline(
      installation, migrating: false, logger: Logger(label: "demo") { StreamLogHandler.standardError(label: $0) })
    let sender = DemoSender(pipeline.intake)
    let alerts = SilentEvaluation(installation, pipeline)
    let apps = try fleets.map { fleet in
      try installation.control.addApp(
        bundleID: fleet.plan.bundleID, settings: AppSettings(attributes: ["region"]), key: fleet.plan.key, at: now)
    }
    var bar = ProgressBar("Filling", total: Self.days)
    for daysAgo in (0..<Self.days).reversed() {
      for (fleet, app) in zip(fleets, apps) {
        for message in fleet.messages(daysAgo: daysAgo, now: now) { try sender.send(message, to: app.id) }
      }
      // By then, MetricKit's payloads for the day have arrived, and no session of the next day has.
      let late = Timestamp(milliseconds: (now.day() - daysAgo + 1).startUTC.milliseconds + 39_600_000)
      if daysAgo == 0 || daysAgo <= Self.judgedDays && late < now {
        sender.wait()
        try alerts.evaluate(now: min(now, late))
      }
      bar.show(Self.days - daysAgo)
    }
    pipeline.stop()
    try pipeline.maintain(now: now)
    try now.iso.write(toFile: path + "/" + Self.marker, atomically: true, encoding: .utf8)
    Console.print("\(path) holds \(sender.count) payloads of \(fleets.count) demo apps.")
  }

  /// Empties an outdated demo folder. True if the folder must be filled.
  private func prepare(_ path: String) throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return true }
    let contents = try FileManager.default.contentsOfDirectory(atPath: path)
    if contents.isEmpty { return true }
    guard let text = try? String(contentsOfFile: path + "/" + Self.marker, encoding: .utf8) else {
      throw UserFacingError("\(path) holds data that is not demo data. Name another folder with --data.")
    }
    let age = WallClock.now().day().number - (Timestamp(iso: text).map { $0.day().number } ?? 0)
    if age < 2 { return false }
    guard try !Installation.isInUse(path) else {
      throw UserFacingError("A server or another command is using \(path). Stop it, then run this command again.")
    }
    for name in contents { try FileManager.default.removeItem(atPath: path + "/" + name) }
    return true
  }
}
