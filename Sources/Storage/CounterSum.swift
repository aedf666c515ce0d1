import Bytes

/// A sum over payloads, in fixed-point steps of the metric's unit.
public struct CounterSum: Sendable, Equatable {
  public var steps: Int64
  /// How many payloads said something, even 0.
  public var payloads: Int64

  public init(steps: Int64 = 0, payloads: Int64 = 0) {
    self.steps = steps
    self.payloads = payloads
  }

  /// The sum of both. Saturates instead of trapping.
  public func merged(with other: CounterSum) -> CounterSum {
    CounterSum(
      steps: steps.addingSaturated(other.steps), payloads: payloads.addingSaturated(other.payloads))
  }

  func encode(into writer: inout ByteWriter) {
    writer.signed(steps)
    writer.signed(payloads)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    self.init(steps: try reader.signed(), payloads: try reader.signed())
  }
}

extension Int64 {
  /// The sum, or the largest or smallest number where it would be beyond: counts of a hostile client must not trap.
  package func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
