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

/// The choice of hypotheses to reject by their e-values, so that at most a share of `rate` is expected to be false, at
/// any look and whatever the dependence between them.
///
/// R. Wang and A. Ramdas, "False discovery rate control with e-values" (2022): reject the k largest if the k-th is at
/// least m ÷ (k·rate).
public enum EvidenceDiscovery {
  /// The e-value from which a hypothesis is rejected, given all of them.
  public static func limit(_ eValues: [Double], rate: Double) -> Double {
    let count = Double(eValues.count)
    let sorted = eValues.sorted(by: >)
    let rejected = sorted.indices.last { sorted[$0] >= count / (Double($0 + 1) * rate) }
    return max(1, count / (Double((rejected ?? 0) + 1) * rate))
  }
}
