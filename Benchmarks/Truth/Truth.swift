import Foundation

/// Compares numbers with fleets whose truth is known.
@main
struct Truth {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let size = words.dropFirst().first.flatMap(Int.init)
    switch words.first {
    case "claims": try Claims(fleets: max(40, size ?? 1_000)).print()
    case "rollouts":
      try RolloutClaims(fleets: max(20, size ?? 400), seed: 20_261_126).print(only: words.dropFirst(2).first)
    case "scale": try Scale(payloads: max(1_000, size ?? 200_000)).run()
    default:
      print(
        """
        usage: truth claims [FLEETS]    how often intervals, verdicts and comparisons are right (1000)
               truth rollouts [FLEETS [ROW]]   how often equal releases are halted, and worse ones found (400)
               truth scale [PAYLOADS]   compare every number of a large fleet with brute force (200000)

        example: truth claims 100
        """)
      exit(64)
    }
  }
}
