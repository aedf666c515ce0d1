/// The values of both releases in one stratum, such as a device class.
public struct Stratum<Value: Sendable>: Sendable {
  var base: Value
  var head: Value
  /// The stratum's weight in averages over strata, the same for both releases.
  var weight: Double

  /// Creates a stratum. `baseSize` and `headSize` are effective sample sizes: the weight ab/(a+b) is close to the
  /// inverse of the difference's variance. For shares, Mantel and Haenszel (1959) and Cochran (1954) use the same
  /// weight.
  public init(base: Value, head: Value, baseSize: Double, headSize: Double) {
    self.base = base
    self.head = head
    let sum = baseSize + headSize
    weight = sum > 0 && sum < .infinity ? baseSize * headSize / sum : 0
  }

  public init(base: Value, head: Value, weight: Double) {
    self.base = base
    self.head = head
    self.weight = weight
  }
}
