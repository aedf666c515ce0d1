import Foundation

/// Ninety days of made-up fleets through the code of alerts, every five minutes, beside a plain threshold.
///
///     alerting play 3 healthy      # seed 3 of the scenarios with "healthy" in their name, a line of JSON for each
///     alerting table < lines       # those lines as a table
@main
struct Alerting {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "play": try play(seed: words.dropFirst().first.flatMap(UInt64.init) ?? 1, words.dropFirst(2).first)
    case "table": try table()
    default:
      FileHandle.standardError.write(Data("alerting play SEED [NAME] | alerting table < LINES\n".utf8))
      exit(64)
    }
  }

  private static func play(seed: UInt64, _ filter: String?) throws {
    for scenario in Scenario.all where filter.map(scenario.name.contains) ?? true {
      let start = Date()
      let figures = try Play(scenario: scenario, seed: seed).run()
      print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
      explain(figures, seconds: Date().timeIntervalSince(start))
    }
  }

  private static func table() throws {
    var runs: [Figures] = []
    while let line = readLine() { runs.append(try JSONDecoder().decode(Figures.self, from: Data(line.utf8))) }
    print(FigureTable.header)
    for row in FigureTable(runs: runs).rows { print(row) }
  }

  private static func explain(_ run: Figures, seconds: Double) {
    let time = String(format: "%.0f s, %.2f ms a look", seconds, seconds / (Scenario.days * 288) * 1000)
    let opened = run.opened.map { "\n    \(String(format: "%.2f", $0.day)) \($0.isTrue ? "" : "FALSE ")\($0.name)" }
    let text = "\(run.scenario), seed \(run.seed): \(run.messages) messages, \(time)\(opened.joined())\n"
    FileHandle.standardError.write(Data(text.utf8))
  }
}
