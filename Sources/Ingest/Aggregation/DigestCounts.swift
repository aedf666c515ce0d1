import Core
import Storage

/// Counts reports and tallies while records are merged. Keys are small integers, because every payload is counted here.
/// Names are resolved when the counts are taken.
struct DigestCounts {
  private var reports: [ReportName: Int] = [:]
  private var clients: [[UInt8]: Int] = [:]
  private var clientNames: [String] = []
  private var lastClient: [UInt8] = []
  private var lastClientIndex = -1
  private var tallies: [TallyName: IntakeTally] = [:]

  private struct ReportName: Hashable {
    let cell: Int
    let client: Int
    let day: CalendarDay
    let lateness: Lateness?
  }

  private struct TallyName: Hashable {
    let app: AppID
    let day: CalendarDay
    let kind: TallyKind
    let client: String
    let release: String
    let reason: String
  }

  /// The number of counters held: of reports by cell and client, and of other events.
  var count: Int { reports.count + tallies.count }

  /// The delay between a report's newest day and its receipt. A MetricKit payload arrives a day after the day it
  /// covers, which is not late.
  private enum Lateness: String {
    case days = "2 to 7 days"
    case weeks = "8 to 28 days"
    case months = "more than 28 days"

    init?(days: Int) {
      switch days {
      case ...1: return nil
      case 2...7: self = .days
      case 8...28: self = .weeks
      default: self = .months
      }
    }
  }

  /// Counts a report of `cell` received on `day`. `newest` is the newest day in it.
  mutating func addReport(cell: Int, client: UnsafeRawBufferPointer, _ day: CalendarDay, newest: CalendarDay?) {
    let lateness = newest.flatMap { Lateness(days: day.number - $0.number) }
    let name = ReportName(cell: cell, client: index(of: client), day: day, lateness: lateness)
    reports[name, default: 0] += 1
  }

  /// Counts a report's remarks and the losses that its client reported.
  mutating func add(
    _ remarks: Remarks, _ losses: [ClientLoss], app: AppID, _ client: UnsafeRawBufferPointer, _ day: CalendarDay
  ) {
    let counted: [(TallyKind, String, Int)] =
      [
        (.rejectedSample, "value", remarks.rejectedSamples), (.guessed, "unknown unit", remarks.unknownUnits),
        (.guessed, "missing time", remarks.assumedTimes),
      ] + losses.map { (.lostByClient, "\($0.category): \($0.reason)", $0.quantity) }
    for (kind, reason, count) in counted where count > 0 {
      add(
        IntakeTally(
          app: app, day: day, kind: kind, client: String(decoding: client, as: UTF8.self), reason: reason, detail: "",
          count: count))
    }
  }

  /// Adds a count from intake.
  mutating func add(_ tally: TallyRecord, app: AppID, _ day: CalendarDay) throws(DamagedBytes) {
    guard let kind = TallyKind(rawValue: tally.kind) else { throw DamagedBytes(offset: 0) }
    add(
      IntakeTally(
        app: app, day: day, kind: kind, client: tally.client, reason: tally.reason, detail: tally.detail,
        count: tally.count))
  }

  /// Counts records that cannot be decoded.
  mutating func addDamaged(app: AppID, _ day: CalendarDay, _ records: Int) {
    add(IntakeTally(app: app, day: day, kind: .quarantined, reason: "damaged record", detail: "", count: records))
  }

  /// Counts records that are missing from the journal. Their apps are unknown.
  mutating func addLost(_ records: Int) {
    add(
      IntakeTally(
        app: IntakeTally.unknownApp, day: IntakeTally.unknownDay, kind: .quarantined,
        reason: "no longer in the journal",
        detail: "", count: records))
  }

  /// Counts values whose label or metric was replaced by "(other)".
  mutating func addFolded(app: AppID, _ day: CalendarDay, _ values: Int) {
    add(IntakeTally(app: app, day: day, kind: .capped, reason: "label", detail: "", count: values))
  }

  /// Counts a quarantined record.
  mutating func addQuarantined(app: AppID, _ day: CalendarDay) {
    add(IntakeTally(app: app, day: day, kind: .quarantined, reason: "could not be digested", detail: "", count: 1))
  }

  /// All counts as tallies with their names.
  func tallies(of cells: [CellKey]) -> [IntakeTally] {
    var all = self
    for (name, count) in reports {
      let key = cells[name.cell]
      let tally = { (kind: TallyKind, reason: String) in
        IntakeTally(
          app: key.app, day: name.day, kind: kind, client: clientNames[name.client], release: Self.title(key.release),
          reason: reason, detail: "", count: count)
      }
      all.add(tally(.accepted, key.source.title))
      if let lateness = name.lateness { all.add(tally(.late, lateness.rawValue)) }
      if key.environment == "simulated" { all.add(tally(.setApart, "simulated")) }
      if key.release == .mixed { all.add(tally(.setApart, "several releases")) }
    }
    return Array(all.tallies.values)
  }

  private mutating func add(_ tally: IntakeTally) {
    let name = TallyName(
      app: tally.app, day: tally.day, kind: tally.kind, client: tally.client, release: tally.release,
      reason: tally.reason)
    guard let before = tallies[name] else {
      tallies[name] = tally
      return
    }
    let (sum, overflow) = before.count.addingReportingOverflow(tally.count)
    tallies[name]?.count = overflow ? .max : sum
    if !tally.detail.isEmpty { tallies[name]?.detail = tally.detail }
  }

  /// The index of a client's name. It compares the preceding payload's client first, which is usually the same.
  private mutating func index(of client: UnsafeRawBufferPointer) -> Int {
    if lastClientIndex >= 0, client.count == lastClient.count, client.elementsEqual(lastClient) {
      return lastClientIndex
    }
    lastClient = [UInt8](client)
    if let known = clients[lastClient] {
      lastClientIndex = known
    } else {
      lastClientIndex = clientNames.count
      clients[lastClient] = lastClientIndex
      clientNames.append(String(decoding: client, as: UTF8.self))
    }
    return lastClientIndex
  }

  private static func title(_ release: Release) -> String {
    release.build.isEmpty ? release.version : "\(release.version) (\(release.build))"
  }
}
