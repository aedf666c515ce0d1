import Foundation

/// The result of thirty days through the real commands.
struct CommandFigures: Sendable {
  let name: String
  let checks: Int
  /// The number of runs by exit code.
  let statuses: [Int32: Int]
  let opened: Int
  let falseAlarms: Int
  /// Hours from the fault to the first incident; nil if none opened in its time.
  let found: Double?
  /// Hours from the fix to the end of the last incident; nil if some are open or none opened.
  let ended: Double?
  let seconds: Double
  /// Every incident and every failure, one per line.
  let story: [String]
  /// The differences from the required result.
  let failures: [String]

  init(
    _ scenario: CommandScenario, _ incidents: PrintedIncidents, statuses: [Int32: Int], troubles: [String],
    seconds: Double
  ) {
    let all = incidents.all.values.sorted { $0.opened < $1.opened }
    let fault = scenario.fault
    let right = all.filter { fault?.days.contains($0.opened) ?? false }
    (name, self.statuses, self.seconds) = (scenario.name, statuses, seconds)
    checks = statuses.values.reduce(0, +)
    opened = all.count
    falseAlarms = all.count - right.count
    found = fault.flatMap { fault in right.first.map { ($0.opened - fault.days.lowerBound) * 24 } }
    let ends = all.compactMap(\.ended)
    ended = fault.flatMap { fault in
      ends.count == all.count ? ends.max().map { ($0 - fault.mended) * 24 } : nil
    }
    var failures = troubles + incidents.contradictions
    if falseAlarms > 0 { failures.append("\(falseAlarms) incidents opened while nothing was wrong") }
    if let fault {
      if found.map({ $0 > fault.foundWithin }) ?? true { failures.append("not found within \(fault.foundWithin) h") }
      if ended.map({ $0 > fault.endedWithin }) ?? true { failures.append("not ended within \(fault.endedWithin) h") }
    }
    self.failures = failures
    let lives = all.map { one in
      let end = one.ended.map { String(format: "%.2f", $0) } ?? "open"
      return "    \(String(format: "%.2f", one.opened)) to \(end): \(one.summary)"
    }
    story = ["\(scenario.name): \(Int(seconds)) s"] + lives + failures.map { "    FAILED: \($0)" }
  }

  static let header =
    "| thirty days through `plumb` | checks | of them with status 2 | incidents | false alarms | found after | all ended, after the fix | as expected |\n"
    + "|---|---|---|---|---|---|---|---|"

  var row: String {
    let cells = [
      name, "\(checks)", "\(statuses[2] ?? 0)", "\(opened)", "\(falseAlarms)", hours(found), hours(ended),
      failures.isEmpty ? "yes" : "no",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private func hours(_ value: Double?) -> String { value.map { String(format: "%.0f h", $0) } ?? "–" }
}
