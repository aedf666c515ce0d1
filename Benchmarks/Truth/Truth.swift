import Foundation

/// Compares numbers with fleets whose truth is known.
@main
struct Truth {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let size = words.dropFirst().first.flatMap(Int.init)
    switch words.first {
    case "claims": try Claims(fleets: max(40, size ?? 1_000)).print(only: words.dropFirst(2).first)
    case "rollouts":
      try RolloutClaims(fleets: max(20, size ?? 400), seed: 20_261_126).print(
        only: words.dropFirst(2).first, size: words.dropFirst(3).first.flatMap(Int.init))
    case "often":
      try RolloutClaims(fleets: max(20, size ?? 60), seed: 20_261_126).often(only: words.dropFirst(2).first)
    case "forecasts":
      try RolloutClaims(fleets: max(20, size ?? 400), seed: 20_261_126).foretell(only: words.dropFirst(2).first)
    case "late": try LateClaims(fleets: max(40, size ?? 400), seed: 20_261_127).print()
    case "causes": CauseClaims(fleets: max(20, size ?? 400), seed: 20_261_128).print()
    case "flames": FlameClaims(fleets: max(20, size ?? 400), seed: 20_261_129).print(only: words.dropFirst(2).first)
    case "power":
      try PowerClaims(fleets: max(40, size ?? 200), seed: 20_261_130).print(only: words.dropFirst(2).first)
    case "scale": try Scale(payloads: max(1_000, size ?? 200_000)).run()
    default:
      print(
        """
        usage: truth claims [FLEETS [ROW]]  how often intervals, verdicts and comparisons are right (1000)
               truth rollouts [FLEETS [ROW [PHONES]]]  how often equal releases are halted, and worse ones found (400)
               truth often [FLEETS [ROW]]  how often equal releases are halted if asked every five minutes (60)
               truth forecasts [FLEETS [ROW]]  how often the first days of a rollout foretell later ones (400)
               truth late [FLEETS]      how often intervals of young days contain the final value (400)
               truth causes [FLEETS]    how often the part of the use that became worse is named, and no other (400)
               truth flames [FLEETS [ROW]]  how often the function that became slower is named, and no other (400)
               truth power [FLEETS [ROW]]  how many phones until a regression is found (200)
               truth scale [PAYLOADS]   compare every number of a large fleet with brute force (200000)

        example: truth claims 100
        """)
      exit(64)
    }
  }
}
