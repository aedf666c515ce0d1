/// The choice of hypotheses to reject so that at most a share of `rate` of them is expected to be false.
///
/// Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate" (1995). If nothing differs at all, the
/// probability of any rejection is at most `rate`.
public enum FalseDiscovery {
  /// Whether each hypothesis is rejected. A nil p-value stands for no hypothesis and is never rejected.
  public static func rejected(_ pValues: [Double?], rate: Double) -> [Bool] {
    let known = pValues.compactMap { $0 }.filter { $0 >= 0 && $0 <= 1 }.sorted()
    let count = Double(known.count)
    let last = known.enumerated().last { $0.element <= rate * Double($0.offset + 1) / count }
    guard let limit = last?.element else { return pValues.map { _ in false } }
    return pValues.map { $0.map { $0 <= limit } ?? false }
  }
}
