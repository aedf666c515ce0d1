import Foundation

/// Ninety days of made-up fleets through the code of alerts, every five minutes, beside a plain threshold.
@main
struct Alerting {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let seeds = words.first.flatMap(Int.init) ?? 3
    let filter = words.dropFirst().first
    print(
      "| scenario | runs | incidents | false alarms | missed | found after | plain: false alarms, found after | "
        + "plain, 50 sessions: false alarms, found after |\n|---|---|---|---|---|---|---|---|")
    for scenario in Scenario.all where filter.map(scenario.name.contains) ?? true {
      let start = Date()
      let runs = try (1...max(1, seeds)).map { try Play(scenario: scenario, seed: UInt64($0)).run() }
      print(row(scenario, runs))
      for (seed, run) in runs.enumerated() { explain(run, seed + 1) }
      let seconds = Date().timeIntervalSince(start)
      let looks = Double(runs.count) * Scenario.days * 288
      FileHandle.standardError.write(
        Data(String(format: "    %.0f s, %.2f ms a look\n", seconds, seconds / looks * 1000).utf8))
    }
  }

  private static func row(_ scenario: Scenario, _ runs: [Figures]) -> String {
    let missed = scenario.breach == nil ? "–" : "\(runs.count { $0.found == nil })"
    var cells = [
      scenario.name, "\(runs.count)", "\(runs.reduce(0) { $0 + $1.opened.count })",
      "\(runs.reduce(0) { $0 + $1.falseAlarms.count })", missed, times(runs.map(\.found), scenario),
    ]
    for index in 0..<2 {
      let count = runs.reduce(0) { $0 + $1.plainFalse(index) }
      cells.append("\(count), \(times(runs.map { $0.plainFound(index) }, scenario))")
    }
    let shares = runs.compactMap(\.share)
    if let most = shares.max() { cells[5] += String(format: " at up to %.1f %% of sessions", most * 100) }
    return "| \(cells.joined(separator: " | ")) |"
  }

  /// The shortest and the longest time, in hours or days.
  private static func times(_ days: [Double?], _ scenario: Scenario) -> String {
    let known = days.compactMap { $0 }.sorted()
    guard scenario.breach != nil else { return "–" }
    guard let least = known.first, let most = known.last else { return "never" }
    let isShort = most < 3
    let unit = isShort ? "h" : "days"
    let factor = isShort ? 24.0 : 1
    let range = String(format: "%.1f to %.1f", least * factor, most * factor)
    let all = known.count == days.count ? "" : ", \(known.count) of \(days.count)"
    return "\(range) \(unit)\(all)"
  }

  private static func explain(_ run: Figures, _ seed: Int) {
    let names = run.opened.prefix(8).map { String(format: "%.2f ", $0.day) + $0.name }
    let text = "    seed \(seed): \(run.messages) messages; \(names.joined(separator: "; "))\n"
    FileHandle.standardError.write(Data(text.utf8))
  }
}
