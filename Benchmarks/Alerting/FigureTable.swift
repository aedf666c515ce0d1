import Foundation

/// Several runs of each scenario, as rows of a Markdown table.
struct FigureTable {
  let runs: [Figures]

  static let header =
    "| scenario | runs | incidents | breaches | messages | false alarms | missed | found after | by then of all sessions "
    + "| plain: false alarms | found after | with 50 sessions: false alarms | found after |\n"
    + "|---|---|---|---|---|---|---|---|---|---|---|---|---|"

  var rows: [String] {
    Scenario.all.compactMap { scenario in
      let own = runs.filter { $0.scenario == scenario.name }
      return own.isEmpty ? nil : row(scenario, own)
    }
  }

  private func row(_ scenario: Scenario, _ runs: [Figures]) -> String {
    let isWrong = scenario.fault != nil
    let cells =
      [
        scenario.name, "\(runs.count)", "\(runs.reduce(0) { $0 + $1.incidents })",
        "\(runs.reduce(0) { $0 + $1.opened.count })", "\(runs.reduce(0) { $0 + $1.messages })",
        "\(runs.reduce(0) { $0 + $1.falseAlarms.count })", isWrong ? "\(runs.count { $0.found == nil })" : "–",
        isWrong ? times(runs.map(\.found)) : "–", shares(runs.compactMap(\.share)),
      ]
      + (0..<2).flatMap { index in
        let plain = runs.map { $0.plain[index] }
        return ["\(plain.reduce(0) { $0 + $1.falseAlarms })", isWrong ? times(plain.map(\.found)) : "–"]
      }
    return "| \(cells.joined(separator: " | ")) |"
  }

  /// The shortest and longest time, in hours or days.
  private func times(_ days: [Double?]) -> String {
    let known = days.compactMap { $0 }
    guard let least = known.min(), let most = known.max() else { return "never" }
    let isShort = most < 3
    let factor = isShort ? 24.0 : 1
    let all = known.count == days.count ? "" : ", \(known.count) of \(days.count)"
    return range(least * factor, most * factor) + (isShort ? " h" : " days") + all
  }

  private func shares(_ shares: [Double]) -> String {
    guard let least = shares.min(), let most = shares.max() else { return "–" }
    return range(least * 100, most * 100) + " %"
  }

  private func range(_ least: Double, _ most: Double) -> String {
    let (low, high) = (String(format: "%.1f", least), String(format: "%.1f", most))
    return low == high ? low : "\(low) to \(high)"
  }
}
