extension Double {
  /// The nearest double. The standard library turns 128 bits into a double digit by digit, which costs more than all the
  /// rest of an interval; nearly all sums fit into 64 bits.
  init(wide value: Int128) {
    let low = Int64(truncatingIfNeeded: value)
    self = Int128(low) == value ? Double(low) : Double(value)
  }
}
