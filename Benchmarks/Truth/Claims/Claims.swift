import Fleets
import Foundation

/// The claims of pages and verdicts, and how often they are true: one table per kind of claim, over fleets with known
/// truth.
struct Claims {
  /// The number of fleets in each row.
  let fleets: Int
  private let start = Date()

  /// `only`: the rows of equal releases to print; nil for every table.
  func print(only: String? = nil) throws {
    let error = 100 * (0.05 * 0.95 / Double(fleets)).squareRoot()
    Swift.print(
      "\(fleets) fleets a row, seed \(Self.seed); the standard error of a figure near 5 % is "
        + "\(String(format: "%.1f", error)) points.\n")
    if let only { return try ComparisonClaims(pairs: max(20, fleets / 2), seed: Self.seed).printEqual(only: only) }
    try RateClaims(fleets: fleets, seed: Self.seed).print()
    try PercentileClaims(fleets: fleets, seed: Self.seed).print()
    try CrashClaims(fleets: fleets, seed: Self.seed).print()
    try ComparisonClaims(pairs: max(20, fleets / 2), seed: Self.seed).print()
    Swift.print("\nTook \(Int(Date().timeIntervalSince(start))) s.")
  }

  private static let seed: UInt64 = 20_261_122
}

/// A table whose rows are printed as they are computed.
struct ClaimTable {
  init(_ title: String, _ columns: [String]) {
    print("\n\(title)\n")
    row(columns)
    row(columns.map { _ in "---" })
  }

  func row(_ cells: [String]) {
    print("| \(cells.joined(separator: " | ")) |")
    fflush(nil)
  }
}

func percent(_ count: Int, of all: Int) -> String {
  all > 0 ? String(format: "%.1f", 100 * Double(count) / Double(all)) : "–"
}
