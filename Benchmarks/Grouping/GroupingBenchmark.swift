import Foundation

/// Measures how well groups match causes, and the time for many large diagnostics.
@main
struct GroupingBenchmark {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "causes": ScoreTable(causes: 60, variants: 40).write()
    case "volume":
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("grouping-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      try Volume(
        folder: folder, diagnostics: words.dropFirst().first.flatMap(Int.init) ?? 100_000, causes: 6_250, size: 200_000
      ).run()
    default:
      print(
        """
        usage: grouping causes                precision and recall on invented diagnostics with known causes
               grouping volume [DIAGNOSTICS]  many diagnostics of 200 kB, from request to page (100000)
        """)
      exit(64)
    }
  }
}
