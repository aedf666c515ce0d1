extension BinScheme {
  /// 2r/(1+r) for r = 2^(1/64): from a bin's lower bound a to 2ab/(a+b), from which both bounds are equally far in
  /// relative terms.
  private static let middle = 1.0054151594159026

  /// The bin holds (low, high]. In the integer scheme the bin of the whole number i up to 128 is (i - 1, i].
  public func bounds(of index: Int32) -> (low: Double, high: Double) {
    if isWhole(index) { return (Double(max(1, index) - 1), Double(max(0, index))) }
    let number = logarithmicNumber(index)
    let largest = Double.greatestFiniteMagnitude
    return (min(BinEdges.edge(number), largest), min(BinEdges.edge(number + 1), largest))
  }

  /// What a sample in the bin is read as: 2ab/(a+b) of its bounds, or the whole number itself.
  public func value(of index: Int32) -> Double {
    if isWhole(index) { return Double(max(0, index)) }
    return min(BinEdges.edge(logarithmicNumber(index)) * Self.middle, .greatestFiniteMagnitude)
  }

  /// The indices that `index(of:)` can return for a sample.
  var indices: ClosedRange<Int32> {
    switch self {
    case .logarithmic: -1022 * 64 - 1...1024 * 64 - 1
    case .integer: 1...Int32(1024 * 64 - 1 - Self.integerOffset)
    }
  }

  /// Whether the bin stands for one whole number.
  func isWhole(_ index: Int32) -> Bool { self == .integer && index <= Self.lastInteger }

  private func logarithmicNumber(_ index: Int32) -> Int {
    self == .integer ? Int(index) + Self.integerOffset : Int(index)
  }
}
