/// Which of many hypotheses to reject, so that of those rejected about a share of `rate` are false at the most.
///
/// Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate" (1995). When nothing differs at all, any rejection
/// happens with a probability of `rate` at the most.
public enum FalseDiscovery {
  /// True where the p-value is small enough among all of them; a nil is no hypothesis and is never rejected.
  public static func rejected(_ pValues: [Double?], rate: Double) -> [Bool] {
    let known = pValues.compactMap { $0 }.filter { $0 >= 0 && $0 <= 1 }.sorted()
    let count = Double(known.count)
    let last = known.enumerated().last { $0.element <= rate * Double($0.offset + 1) / count }
    guard let limit = last?.element else { return pValues.map { _ in false } }
    return pValues.map { $0.map { $0 <= limit } ?? false }
  }
}
