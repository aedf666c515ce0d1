import Foundation

/// Runs ninety days of invented fleets through the code of alerts, every five minutes, and compares them with a plain
/// threshold. Also runs thirty days through the commands.
///
///     alerting play 3 healthy      # seed 3 of the scenarios with "healthy" in their name, one line of JSON each
///     alerting table < lines       # those lines as a table
///     alerting breaks 3 hangs      # the same for breaks in fleets of three sizes, counting messages
///     alerting break-table < lines
///     alerting cli release         # thirty days of the scenarios with "release" in their name, through `plumb`
@main
struct Alerting {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "play": try play(seed: words.dropFirst().first.flatMap(UInt64.init) ?? 1, words.dropFirst(2).first)
    case "table": try table()
    case "breaks": try playBreaks(seed: words.dropFirst().first.flatMap(UInt64.init) ?? 1, words.dropFirst(2).first)
    case "break-table": try tableOfBreaks()
    case "cli": try playCommands(Array(words.dropFirst()))
    default:
      FileHandle.standardError.write(
        Data(
          "alerting play|breaks SEED [NAME] | alerting table|break-table < LINES | alerting cli [NAME …]\n".utf8))
      exit(64)
    }
  }

  private static func play(seed: UInt64, _ filter: String?) throws {
    for scenario in Scenario.all where filter.map(scenario.name.contains) ?? true {
      let start = Date()
      let figures = try Play(scenario: scenario, seed: seed).run()
      // Without a buffer, so that a run that is stopped early has written its finished lines.
      FileHandle.standardOutput.write(try JSONEncoder().encode(figures) + Data("\n".utf8))
      explain(figures, seconds: Date().timeIntervalSince(start))
    }
  }

  private static func playBreaks(seed: UInt64, _ filter: String?) throws {
    for scenario in Scenario.breaks where filter.map(scenario.name.contains) ?? true {
      let start = Date()
      let book = try Play(scenario: scenario, seed: seed).outcome(comparing: []).book
      let figures = BreakFigures(scenario, seed: seed, book)
      FileHandle.standardOutput.write(try JSONEncoder().encode(figures) + Data("\n".utf8))
      let time = String(format: "%.0f s", Date().timeIntervalSince(start))
      let story = figures.story.map { "\n    \($0)" }.joined()
      FileHandle.standardError.write(Data("\(scenario.name), seed \(seed): \(time)\(story)\n".utf8))
    }
  }

  private static func tableOfBreaks() throws {
    var runs: [BreakFigures] = []
    while let line = readLine() { runs.append(try JSONDecoder().decode(BreakFigures.self, from: Data(line.utf8))) }
    print(BreakTable.header)
    for row in BreakTable(runs: runs).rows { print(row) }
  }

  private static func table() throws {
    var runs: [Figures] = []
    while let line = readLine() { runs.append(try JSONDecoder().decode(Figures.self, from: Data(line.utf8))) }
    print(FigureTable.header)
    for row in FigureTable(runs: runs).rows { print(row) }
  }

  /// Plays scenarios through the `plumb` beside this program, or the one in the variable `PLUMB`. Exits with 1 if a
  /// result is not as required.
  private static func playCommands(_ names: [String]) throws {
    let all = CommandScenario.all.filter { scenario in names.isEmpty || names.contains(where: scenario.name.contains) }
    guard !all.isEmpty else {
      FileHandle.standardError.write(Data("Unknown scenario.\n".utf8))
      exit(64)
    }
    let figures = try CommandPlay.figures(of: all, program: PlumbProgram.path)
    print(CommandFigures.header)
    for figure in figures { print(figure.row) }
    for figure in figures { for line in figure.story { FileHandle.standardError.write(Data((line + "\n").utf8)) } }
    if figures.contains(where: { !$0.failures.isEmpty }) { exit(1) }
  }

  private static func explain(_ run: Figures, seconds: Double) {
    let time = String(format: "%.0f s, %.2f ms a look", seconds, seconds / (Scenario.days * 288) * 1000)
    let opened = run.opened.map { "\n    \(String(format: "%.2f", $0.day)) \($0.isTrue ? "" : "FALSE ")\($0.name)" }
    let text = "\(run.scenario), seed \(run.seed): \(run.messages) messages, \(time)\(opened.joined())\n"
    FileHandle.standardError.write(Data(text.utf8))
  }
}
