import Core
import Statistics

/// The measurements of one record, decoded. Their arrays are used again for the next record.
///
/// A record is decoded before any part of it is merged, so that no part of a damaged one is counted.
struct DecodedMeasurements {
  struct Item {
    /// The index of the head in `heads`.
    let head: Int
    let time: MeasurementTime
    let form: Form
    /// The indices of the values in the array of their form.
    let values: Range<Int>
    /// The index in `extents` of the exact sum, minimum and maximum of spans; nil if they are unknown.
    var extent: Int?
  }

  /// The array that has a measurement's values.
  enum Form {
    case numbers
    case spans
    case unmerged
  }

  /// A measurement in a form that only OTLP has: exponential buckets, samples with an extent, or a point of a cumulative
  /// stream.
  struct Unmerged {
    let value: Measurement.Value
    let extent: Extent?
    let accumulation: CumulativeStream?
    /// The number of samples and buckets, as the record states it.
    let parts: Int
  }

  private(set) var heads = MeasurementHeads()
  private(set) var items: [Item] = []
  /// Samples of distributions, and sums of counters.
  private(set) var numbers: [Double] = []
  private(set) var spans: [Span] = []
  private(set) var extents: [Extent] = []
  private(set) var unmerged: [Unmerged] = []

  /// The most values whose memory is kept for the next record.
  private static let mostKept = 16_384

  /// Replaces the measurements by those of `report`.
  mutating func read(_ report: inout ReportReader) throws(DamagedBytes) {
    heads.begin()
    clear()
    while let head = try report.nextMeasurement(&heads) {
      let (form, values) = try readValues(head, &report)
      var item = Item(head: heads.current, time: head.time, form: form, values: values)
      if form == .spans, let extent = try report.extent(of: head) {
        item.extent = extents.count
        extents.append(extent)
      }
      items.append(item)
    }
  }

  /// The sum of a counter's values, in fixed-point steps.
  func steps(of item: Item) -> Int64 {
    let stepsPerUnit = heads[item.head].stepsPerUnit
    if let extent = item.extent {
      let exact = extents[extent].sum
      return exact >= 0 ? fixedPoint(exact, stepsPerUnit: stepsPerUnit, count: 1) : 0
    }
    var sum: Int64 = 0
    for index in item.values {
      let value = item.form == .spans ? Self.total(spans[index]) : numbers[index]
      // NaN and negative values come only from damaged records.
      if value >= 0 { sum = sum.saturatingAdd(fixedPoint(value, stepsPerUnit: stepsPerUnit, count: 1)) }
    }
    return sum
  }

  private static func total(_ span: Span) -> Double {
    (span.high.isFinite ? (span.low + span.high) / 2 : span.low) * Double(span.count)
  }

  private mutating func readValues(
    _ head: MeasurementHead, _ report: inout ReportReader
  ) throws(DamagedBytes) -> (Form, Range<Int>) {
    if head.isAccumulated || head.content == .exponential || head.hasExtent && head.content != .spans {
      let value = try report.value(of: head)
      let extent = try report.extent(of: head)
      unmerged.append(
        Unmerged(
          value: value, extent: extent, accumulation: try report.accumulation(of: head), parts: head.count))
      return (.unmerged, unmerged.count - 1..<unmerged.count)
    }
    if head.content == .spans {
      let first = spans.count
      for _ in 0..<head.count { spans.append(try report.nextSpan()) }
      return (.spans, first..<spans.count)
    }
    let first = numbers.count
    for _ in 0..<head.count { numbers.append(try report.nextNumber()) }
    return (.numbers, first..<numbers.count)
  }

  private mutating func clear() {
    items.removeAll(keepingCapacity: items.capacity <= Self.mostKept)
    numbers.removeAll(keepingCapacity: numbers.capacity <= Self.mostKept)
    spans.removeAll(keepingCapacity: spans.capacity <= Self.mostKept)
    extents.removeAll(keepingCapacity: extents.capacity <= Self.mostKept)
    unmerged.removeAll()
  }
}
