#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SpecialFunctions {
  /// The z below which a normal variable lies with `probability`.
  static func normalQuantile(_ probability: Double) -> Double {
    var (low, high) = (-40.0, 40.0)
    for _ in 0..<80 {
      let middle = (low + high) / 2
      if erfc(-middle / 2.0.squareRoot()) / 2 < probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
