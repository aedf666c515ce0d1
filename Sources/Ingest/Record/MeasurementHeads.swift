import Core

/// The heads of measurements in earlier records: their metrics and labels, decoded once.
///
/// The records of an app list the same metrics in the same order. A head is therefore first compared with the bytes of
/// the one that last followed the preceding head, and only decoded if it differs.
struct MeasurementHeads {
  /// What every measurement of a series needs.
  struct Head {
    let tag: UInt8
    /// The metric's catalogue number; 0 for a custom metric.
    let number: UInt16
    /// Whether the metric's rows are distributions. Its kind determines that, whatever the client sent, because rows of
    /// one metric must merge.
    let isDistribution: Bool
    /// Whether the values also count for a rate of the payload.
    let isInRates: Bool
    /// The resolution of sums: `MetricUnit.stepsPerUnit`.
    let stepsPerUnit: Double
    /// The slots of the series over all labels, and of the one with the label.
    let whole: SeriesSlot
    let part: SeriesSlot
    /// The first eight bytes, and those of them that belong to the head.
    fileprivate let beginning: UInt64
    fileprivate let mask: UInt64
    /// The position in `bytes`.
    fileprivate let offset: Int32
    fileprivate let length: Int32
    /// The preceding custom metric's head; −1 for the first. A custom name omits the bytes that it shares with it.
    fileprivate let context: Int32
    /// The index of the head that last followed; 0 if none did.
    fileprivate var next: Int32 = 0

    var isLabelled: Bool { tag & RecordFormat.labelled != 0 }
  }

  /// The names of a head's series.
  struct Names {
    let metric: MetricReference
    /// Empty if the measurement has none.
    let label: String
    let whole: SeriesIdentity
    /// The key of the series with the label.
    let part: SeriesIdentity
    fileprivate let customName: [UInt8]

    /// The metric and label of a series.
    func series(labelled: Bool) -> (MetricReference, String) { (metric, labelled ? label : "") }

    func identity(labelled: Bool) -> SeriesIdentity { labelled ? part : whole }
  }

  /// All known heads. The first is the beginning of a record, which every first head follows.
  private(set) var known = [beginning]
  private(set) var names = [Names(metric: .known(0), label: "", whole: .none, part: .none, customName: [])]
  /// The index of the current measurement's head.
  private(set) var current = 0
  /// Whether names of custom metrics were found that the reader did not decode.
  private(set) var hasSkippedNames = false
  /// The custom metric's head that was read last; −1 if the record had none yet.
  private var context: Int32 = -1
  private var bytes: [UInt8] = []
  private var indices: [Int: Int] = [:]
  private var slots = SeriesSlots()

  private static let beginning = Head(
    tag: 0, number: 0, isDistribution: false, isInRates: false, stepsPerUnit: 1, whole: .none, part: .none,
    beginning: 0, mask: 0, offset: 0, length: 0, context: -1)

  /// The most heads that are kept from one record to the next. Apps with more send different ones in each payload.
  private static let most = 4_096

  /// Begins a record. Indices of heads stay valid until then.
  mutating func begin() {
    if known.count > Self.most {
      let slots = slots
      self = MeasurementHeads()
      self.slots = slots
    }
    (current, context, hasSkippedNames) = (0, -1, false)
  }

  subscript(index: Int) -> Head { known[index] }

  /// The name of the preceding custom metric.
  var lastName: [UInt8] { context < 0 ? [] : names[Int(context)].customName }

  /// Makes the expected head the current one if `unread` begins with its bytes. Returns their number; nil for any other
  /// head.
  mutating func skipExpected(in unread: UnsafeRawBufferPointer) -> Int? {
    let expected = known[current].next
    let head = known[Int(expected)]
    guard expected > 0, isHead(head, at: unread) else { return nil }
    if head.number == 0 { (context, hasSkippedNames) = (expected, true) }
    current = Int(expected)
    return Int(head.length)
  }

  /// Makes the head with these bytes, which `report` has just read, the current one.
  mutating func find(_ head: UnsafeRawBufferPointer, _ tag: UInt8, _ number: UInt16, _ report: borrowing ReportReader) {
    hasSkippedNames = false
    var hasher = Hasher()
    hasher.combine(number == 0 ? context : -1)
    hasher.combine(bytes: head)
    let key = hasher.finalize()
    var index = indices[key] ?? 0
    if index == 0 || Int(known[index].length) != head.count || !isHead(known[index], at: head) {
      index = add(head, tag, number, report)
      indices[key] = index
    }
    known[current].next = Int32(index)
    current = index
    if number == 0 { context = Int32(index) }
  }

  private func isHead(_ head: Head, at unread: UnsafeRawBufferPointer) -> Bool {
    let length = Int(head.length)
    guard unread.count >= length, head.number > 0 || head.context == context else { return false }
    if unread.count >= 8 {
      guard (unread.loadUnaligned(as: UInt64.self) ^ head.beginning) & head.mask == 0 else { return false }
      if length <= 8 { return true }
    }
    return bytes.withUnsafeBytes { bytes in
      let offset = Int(head.offset)
      for position in 0..<length where bytes[offset &+ position] != unread[position] { return false }
      return true
    }
  }

  private mutating func add(
    _ head: UnsafeRawBufferPointer, _ tag: UInt8, _ number: UInt16, _ report: borrowing ReportReader
  ) -> Int {
    let metric = report.metric(number)
    let isLabelled = tag & RecordFormat.labelled != 0
    let whole = report.series(number, labelled: false)
    let part = isLabelled ? report.series(number, labelled: true) : .none
    var beginning: UInt64 = 0
    withUnsafeMutableBytes(of: &beginning) { $0.copyBytes(from: head.prefix(8)) }
    known.append(
      Head(
        tag: tag, number: number, isDistribution: metric.kind == .distribution,
        isInRates: PayloadRates.include(number), stepsPerUnit: metric.unit.stepsPerUnit, whole: slots.slot(of: whole),
        part: isLabelled ? slots.slot(of: part) : .none, beginning: beginning,
        mask: head.count < 8 ? 1 << (8 * UInt64(head.count)) &- 1 : .max, offset: Int32(bytes.count),
        length: Int32(head.count), context: number == 0 ? context : -1))
    names.append(
      Names(
        metric: metric, label: report.label(), whole: whole, part: part,
        customName: number == 0 ? report.customName : []))
    bytes.append(contentsOf: head)
    return known.count - 1
  }
}

/// The place of a series in the tables of `CellBin`: the number of a catalogue metric over all labels, or a number that
/// `SeriesSlots` gave.
struct SeriesSlot: Equatable {
  let number: Int16

  /// The slot of series that are found by their identity.
  static let none = SeriesSlot(number: -1)
  /// The number of slots.
  static let count = Int(catalogueNumbers) + SeriesSlots.most

  fileprivate static let catalogueNumbers: UInt16 = 900

  /// Whether the series is that of a catalogue metric over all labels.
  var isOfCatalogue: Bool { number >= 0 && number < Self.catalogueNumbers }

  init(number: Int16) { self.number = number }

  /// The slot of a catalogue metric over all labels.
  init(catalogue number: UInt16) {
    self = number < Self.catalogueNumbers ? SeriesSlot(number: Int16(number)) : .none
  }
}

/// Gives slots to the first series with a label or a custom metric.
private struct SeriesSlots {
  private var known: [SeriesIdentity: SeriesSlot] = [:]

  static let most = 256

  mutating func slot(of identity: SeriesIdentity) -> SeriesSlot {
    if identity.hash == 0, identity.number > 0 { return SeriesSlot(catalogue: identity.number) }
    if let known = known[identity] { return known }
    guard known.count < Self.most else { return .none }
    let slot = SeriesSlot(number: Int16(SeriesSlot.catalogueNumbers) + Int16(known.count))
    known[identity] = slot
    return slot
  }
}
