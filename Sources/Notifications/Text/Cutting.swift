extension String {
  /// This text, or as much of its beginning as leaves room for an ellipsis within `limit`.
  ///
  /// - Parameters:
  ///   - limit: the greatest sum of costs.
  ///   - cost: what a scalar takes; UTF-16 units by default, which no receiver counts more strictly, except those that
  ///     count bytes.
  func cut(_ limit: Int, cost: (Unicode.Scalar) -> Int = { UTF16.width($0) }) -> String {
    var total = 0
    var kept = String.UnicodeScalarView()
    var short: String.UnicodeScalarView?
    for scalar in unicodeScalars {
      let price = cost(scalar)
      if short == nil, total + price > limit - cost("…") { short = kept }
      total += price
      guard total <= limit else { return String(short ?? kept) + (limit >= cost("…") ? "…" : "") }
      kept.append(scalar)
    }
    return self
  }
}

extension Unicode.Scalar {
  /// The bytes it takes in UTF-8.
  var byteCount: Int { UTF8.width(self) }
}
