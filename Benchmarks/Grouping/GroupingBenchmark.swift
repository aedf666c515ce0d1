/// How well groups match causes: `grouping`.
@main
struct GroupingBenchmark {
  static func main() throws {
    ScoreTable(causes: 60, variants: 40).write()
  }
}
