import Foundation
import TestSupport

/// Values of other implementations, from `scipy.txt`, which make_reference.py writes: a table for each function.
enum ScipyReference {
  /// x, a, b, scipy.special.betainc(a, b, x)
  static let beta = table("beta")
  /// p, a, b, scipy.special.betaincinv(a, b, p)
  static let betaQuantile = table("betaQuantile")
  /// f, d1, d2, scipy.stats.f.sf(f, d1, d2)
  static let fTail = table("fTail")
  /// p, df, scipy.stats.t.ppf(p, df)
  static let tQuantile = table("tQuantile")
  /// x, scipy.special.gammaln(x)
  static let logGamma = table("logGamma")
  /// k, n, tail, low and high of scipy.stats.binomtest(k, n).proportion_ci(1 - 2·tail, 'exact')
  static let clopperPearson = table("clopperPearson")
  /// k, n, deff, tail, low and high by scipy.stats.beta.ppf
  static let kornGraubard = table("kornGraubard")
  /// n, p, tail, lower and upper rank by scipy.stats.binom
  static let largeRanks = table("largeRanks")
  /// n, p, deff, tail, lower and upper rank (0: none) by scipy.special.betainc
  static let effectiveRanks = table("effectiveRanks")
  /// F and p of scipy.stats.f_oneway, then each payload's size and values
  static let oneWay = table("oneWay")
  /// n, p, tail, lower and upper rank (0: none) by exact binomial sums in integers
  static let ranks = table("ranks")
  /// value, its OpenTelemetry scale-6 index by 60-digit logarithms
  static let indices = table("indices")

  private static let tables: [Substring: [[Double]]] = {
    guard let text = try? Checkout.text("Tests/StatisticsTests/Reference/scipy.txt") else { return [:] }
    var tables: [Substring: [[Double]]] = [:]
    for part in text.split(separator: "# ") {
      let lines = part.split(separator: "\n")
      let name = lines.first.map { $0.prefix { $0 != ":" } } ?? ""
      tables[name] = lines.dropFirst().map { $0.split(separator: " ").compactMap { Double($0) } }
    }
    return tables
  }()

  private static func table(_ name: String) -> [[Double]] {
    guard let rows = tables[name[...]], !rows.isEmpty else { preconditionFailure("scipy.txt has no table \(name)") }
    return rows
  }
}
