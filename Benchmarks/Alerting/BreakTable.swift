import Foundation

/// Several runs of each break, as rows of a Markdown table. Counts and times are the lowest and highest of the
/// runs.
struct BreakTable {
  let runs: [BreakFigures]

  static let header =
    "| what breaks | runs | missed | found after | incidents | messages in the next day | in all | of them reminders "
    + "| same word within a day | false messages |\n|---|---|---|---|---|---|---|---|---|---|"

  var rows: [String] {
    Scenario.breaks.compactMap { scenario in
      let own = runs.filter { $0.scenario == scenario.name }
      return own.isEmpty ? nil : row(scenario, own)
    }
  }

  private func row(_ scenario: Scenario, _ runs: [BreakFigures]) -> String {
    let isHealthy = scenario.fault == nil
    let cells = [
      isHealthy ? "–" : "\(runs.count { $0.found == nil })", isHealthy ? "–" : times(runs.compactMap(\.found)),
      isHealthy ? "–" : counts(runs.map(\.incidents)), counts(runs.map(\.firstDay)), counts(runs.map(\.messages)),
      counts(runs.map(\.reminders)), counts(runs.map(\.repeated)), counts(runs.map(\.falseMessages)),
    ]
    return "| \(([scenario.name, "\(runs.count)"] + cells).joined(separator: " | ")) |"
  }

  private func counts(_ counts: [Int]) -> String {
    let (least, most) = (counts.min() ?? 0, counts.max() ?? 0)
    return least == most ? "\(least)" : "\(least) to \(most)"
  }

  /// The shortest and longest time in days.
  private func times(_ days: [Double]) -> String {
    guard let least = days.min(), let most = days.max() else { return "never" }
    let (low, high) = (String(format: "%.1f", least), String(format: "%.1f", most))
    return (low == high ? low : "\(low) to \(high)") + " days"
  }
}
