import Foundation

/// Numbers against fleets whose truth is known.
@main
struct Truth {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let size = words.dropFirst().first.flatMap(Int.init)
    switch words.first {
    case "verdicts": verdicts(fleets: max(100, size ?? 10_000))
    case "comparisons": ComparisonTables(pairs: max(20, size ?? 2_000)).print()
    case "scale": try Scale(payloads: max(1_000, size ?? 200_000)).run()
    default:
      print(
        """
        usage: truth verdicts [FLEETS]   how often chance calls a fleet at its budget broken (10000)
               truth comparisons [PAIRS] how often chance tells two equal releases apart (2000)
               truth scale [PAYLOADS]    every number of a large fleet against brute force (200000)
        """)
      exit(64)
    }
  }

  private static func verdicts(fleets: Int) {
    let error = 100 * (0.05 * 0.95 / Double(fleets)).squareRoot()
    print("\(fleets) fleets a row, each exactly at budget; standard error at 5 %: \(String(format: "%.2f", error)) %\n")
    PercentileTable(fleets: fleets).print()
    CrashFreeTable(fleets: fleets).print()
    PowerTable(fleets: fleets).print()
  }
}
