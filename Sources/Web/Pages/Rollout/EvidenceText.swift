import Analysis

/// E-values as text.
enum EvidenceText {
  /// An e-value with at most one decimal: `3.4`, `26.7`, `1,250`. Extreme values are written as bounds.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return value > 0 ? mostText : Quantity.unknown }
    if value >= most { return mostText }
    if value < 0.1 { return "<\u{A0}0.1" }
    let rounded = (value * 10).rounded() / 10
    return Decimal.fixed(value, value >= 100 ? 0 : Decimal.decimalsNeeded(rounded, atMost: 1))
  }

  /// The evidence of a vital and the limit at which it halts: `3.4 of 20`.
  static func ofLimit(_ vital: RolloutVital) -> String {
    "\(text(vital.evidence.value)) of \(text(vital.limit))"
  }

  private static let most = 1e6
  private static let mostText = "≥\u{A0}1,000,000"
}
