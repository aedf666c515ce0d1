import Telemetry

extension Span: CountedEntry {
  /// A span that can be counted: nil unless 0 <= low <= high, low finite and the count positive. Subnormal edges become 0.
  init?(checkedLow low: Double, high: Double, count: Int) {
    guard low >= 0, low < .infinity, high >= low, count > 0 else { return nil }
    self.init(
      low: low < .leastNormalMagnitude ? 0 : low, high: high < .leastNormalMagnitude ? 0 : high, count: count)
  }

  /// By low, then high. The bits of doubles that are not negative are in the order of the doubles, and one comparison of
  /// 128 bits has no branch to mispredict.
  func precedes(_ other: Span) -> Bool { key < other.key }
  func hasSameKey(as other: Span) -> Bool { low == other.low && high == other.high }

  private var key: UInt128 { UInt128(low.bitPattern) << 64 | UInt128(high.bitPattern) }

  var isPoint: Bool { low == high }
  var isInfinite: Bool { high == .infinity }
  /// Where sums and moments put its values; an infinite span's at its low.
  var middle: Double { isInfinite ? low : low + (high - low) / 2 }

  /// The index its values have in the moments.
  func middleIndex(in scheme: BinScheme) -> Int32 {
    let middle = middle
    return middle > 0 ? scheme.index(of: middle) : ClusterSum.zeroIndex
  }
}

extension Span {
  /// The span with both edges moved outward to bin edges: scale 6 at coarseness 1, half as many at each level more.
  ///
  /// Edges of one level are edges of every finer one, so snapping in steps equals snapping at once.
  func snapped(_ coarseness: UInt8) -> Span {
    let shift = Int(coarseness) - 1
    var snapped = self
    if low > 0 { snapped.low = BinEdges.edge((Self.edgeNumbers(around: low).low >> shift) << shift) }
    if high > 0, !isInfinite {
      let step = 1 << shift
      snapped.high = BinEdges.edge(((Self.edgeNumbers(around: high).high + step - 1) >> shift) << shift)
    }
    return snapped
  }

  /// The numbers of the nearest edges at or below and at or above a positive number.
  private static func edgeNumbers(around value: Double) -> (low: Int, high: Int) {
    let index = Int(BinScheme.logarithmic.index(of: value))
    return (BinEdges.edge(index + 1) == value ? index + 1 : index, index + 1)
  }
}
