import Bytes
import Record
import Statistics
public import Storage
import Telemetry

/// Records → deltas, merged in memory. Pure: it knows no store and no clock; the same records give the same deltas.
public struct Digester {
  private var origins: [[UInt8]: Int] = [:]
  private var cells: [CellKey] = []
  private var places: [Place: Int] = [:]
  private var partitions: [Partition] = []
  private var received: [Timestamp] = []
  private var sessions: [SessionRecord] = []
  private var tallies: [TallyName: TallyDelta] = [:]
  private var seriesCount = 0
  private var from: Int64?
  private var through: Int64 = 0

  public init() {}

  /// True when nothing waits to be taken.
  public var isEmpty: Bool { from == nil }

  /// About how many bytes of memory the deltas take.
  public var weight: Int {
    partitions.count * 4096 + seriesCount * 700 + sessions.count * 160
  }

  /// Merges a batch of the journal. Batches must follow each other. A record that cannot be read is counted.
  public mutating func digest(_ batch: JournalBatch) {
    if from == nil { from = batch.first }
    through = batch.through
    batch.records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for _ in 0..<batch.count {
        guard let record = try? reader.slice() else { return }
        do { try digest(record: record) } catch { noteDamaged(record) }
      }
    }
  }

  /// What was merged since the last call, as one contiguous range; nil when there was nothing.
  public mutating func take(node: NodeID) -> DigestedBatch? {
    guard let from else { return nil }
    let deltas = partitions.indices.map { index in
      CellDelta(
        key: cells[partitions[index].cell], bin: partitions[index].bin,
        series: partitions[index].series.map(\.delta), received: received[index])
    }
    let batch = DigestedBatch(
      node: node, from: from, through: through, cells: deltas, sessions: sessions, tallies: Array(tallies.values))
    self = Digester()
    return batch
  }

  private struct Place: Hashable {
    let cell: Int
    let bin: TimeBin
  }

  private struct TallyName: Hashable {
    let app: AppID
    let day: CalendarDay
    let kind: TallyKind
    let reason: String
  }

  private mutating func digest(record: UnsafeRawBufferPointer) throws(DamagedBytes) {
    let reader = try RecordReader(record)
    let day = reader.received.day(utcOffsetSeconds: reader.utcOffsetSeconds)
    switch reader.content {
    case .tally(let app, let tally):
      guard let kind = TallyKind(rawValue: tally.kind) else { throw DamagedBytes(offset: 0) }
      count(app, day, kind, tally.reason, detail: tally.detail, by: tally.count)
    case .report(var report):
      let cell = try index(ofOrigin: report.origin)
      var payload = PayloadDigest(cell: cell, received: reader.received, utcOffsetSeconds: reader.utcOffsetSeconds)
      try digest(readings: &report, &payload)
      try digest(sessions: &report, payload)
      let (rejected, warnings) = try report.remarks()
      let app = cells[cell].app
      count(app, day, .accepted, cells[cell].source.title, detail: "", by: 1)
      if rejected > 0 { count(app, day, .rejectedSample, "value", detail: "", by: rejected) }
      if warnings > 0 { count(app, day, .guessed, "unit or time", detail: "", by: warnings) }
    }
  }

  private mutating func index(ofOrigin bytes: UnsafeRawBufferPointer) throws(DamagedBytes) -> Int {
    let key = [UInt8](bytes)
    if let known = origins[key] { return known }
    let origin = try RecordOrigin(bytes)
    cells.append(
      CellKey(
        app: origin.app, source: origin.source, environment: origin.environment, release: origin.release,
        os: origin.device.system.title, model: origin.device.model))
    origins[key] = cells.count - 1
    return cells.count - 1
  }

  private mutating func digest(
    readings report: inout ReportReader, _ payload: inout PayloadDigest
  ) throws(DamagedBytes) {
    while let head = try report.nextReading() {
      let bin = payload.bin(of: head.time)
      let place = partition(payload.cell, bin, payload.received)
      try add(&report, head, to: place, &payload)
      payload.note(partition: place, bin: bin)
    }
    close(payload)
  }

  /// Adds a reading's values to its series; a labelled one also to the sum over all labels.
  private mutating func add(
    _ report: inout ReportReader, _ head: ReadingHead, to place: Int, _ payload: inout PayloadDigest
  ) throws(DamagedBytes) {
    // The metric's kind decides what a row holds, whatever the client sent: rows of one metric must merge.
    let content: SeriesAccumulator.Content = head.metric.kind == .distribution ? .distribution : .counter
    let before = partitions[place].series.count
    defer { seriesCount += partitions[place].series.count - before }
    let whole = partitions[place].index(of: head.metric, label: "", content: content)
    let part =
      head.label.isEmpty ? nil : partitions[place].index(of: head.metric, label: head.label, content: content)
    var clusters = (ClusterSum(), ClusterSum())
    for _ in 0..<head.count {
      let value = try PayloadValue(&report, head, &payload.facts)
      insert(value, content, place, whole, &clusters.0)
      if let part { insert(value, content, place, part, &clusters.1) }
    }
    close(clusters.0, of: head, label: "", at: place, whole, content, &payload)
    if let part { close(clusters.1, of: head, label: head.label, at: place, part, content, &payload) }
  }

  private mutating func insert(
    _ value: PayloadValue, _ content: SeriesAccumulator.Content, _ place: Int, _ index: Int,
    _ cluster: inout ClusterSum
  ) {
    partitions[place].update(index) { series in
      switch (content, value) {
      case (.distribution, .number(let number)):
        series.histogram.insert(number, stepsPerUnit: series.stepsPerUnit, into: &cluster)
      case (.distribution, .span(let span)):
        series.histogram.insertSpan(
          low: span.low, high: span.high, count: span.count, stepsPerUnit: series.stepsPerUnit, into: &cluster)
      case (_, .number(let number)): series.count(number)
      case (_, .span(let span)):
        series.count((span.high.isFinite ? (span.low + span.high) / 2 : span.low) * Double(span.count))
      }
    }
  }

  /// A payload is one cluster per day: readings of one day are closed at once, those with instants at its end.
  private mutating func close(
    _ cluster: ClusterSum, of head: ReadingHead, label: String, at place: Int, _ index: Int,
    _ content: SeriesAccumulator.Content, _ payload: inout PayloadDigest
  ) {
    switch (content, head.time) {
    // The sum over labels is one cluster however many labels the payload has.
    case (.distribution, .day) where label == head.label:
      partitions[place].update(index) { $0.histogram.close(cluster) }
    case (.distribution, _):
      payload.merge(cluster, head.metric, label: label, day: partitions[place].bin.day)
    default: partitions[place].update(index) { $0.counter = $0.counter.merged(with: CounterSum(payloads: 1)) }
    }
  }

  private mutating func close(_ payload: PayloadDigest) {
    for (name, cluster) in payload.openClusters {
      let place = partition(payload.cell, TimeBin(name.day), payload.received)
      let index = partitions[place].index(of: name.metric, label: name.label, content: .distribution)
      partitions[place].update(index) { $0.histogram.close(cluster) }
    }
    guard let place = payload.dayPlace ?? payload.anyDay.map({ partition(payload.cell, $0, payload.received) })
    else { return }
    for pair in payload.facts.pairs {
      let index = partitions[place].index(of: .known(pair.metric), label: "", content: .pair)
      partitions[place].update(index) { $0.pair.add(x: pair.x, y: pair.y) }
    }
    let index = partitions[place].index(of: .known(Catalogue.payloads), label: "", content: .counter)
    partitions[place].update(index) { $0.counter = $0.counter.merged(with: CounterSum(steps: 1, payloads: 1)) }
  }

  private mutating func partition(_ cell: Int, _ bin: TimeBin, _ time: Timestamp) -> Int {
    if let last = partitions.indices.last, partitions[last].cell == cell, partitions[last].bin == bin {
      received[last] = max(received[last], time)
      return last
    }
    let place = Place(cell: cell, bin: bin)
    if let known = places[place] {
      received[known] = max(received[known], time)
      return known
    }
    partitions.append(Partition(cell: cell, bin: bin))
    received.append(time)
    places[place] = partitions.count - 1
    return partitions.count - 1
  }

  private mutating func digest(sessions report: inout ReportReader, _ payload: PayloadDigest) throws(DamagedBytes) {
    for update in try report.sessions() {
      sessions.append(
        SessionRecord(
          key: cells[payload.cell], id: update.id, outcome: update.outcome, minute: payload.minute(of: update.started),
          sequence: update.sequence, isSequenceExplicit: update.isSequenceExplicit, user: update.user,
          received: payload.received))
    }
  }

  private mutating func count(
    _ app: AppID, _ day: CalendarDay, _ kind: TallyKind, _ reason: String, detail: String, by count: Int
  ) {
    let name = TallyName(app: app, day: day, kind: kind, reason: reason)
    let before = tallies[name]?.count ?? 0
    let (sum, overflow) = before.addingReportingOverflow(count)
    tallies[name] = TallyDelta(
      app: app, day: day, kind: kind, reason: reason, detail: detail, count: overflow ? .max : sum)
  }

  private mutating func noteDamaged(_ record: UnsafeRawBufferPointer) {
    guard let reader = try? RecordReader(record), case .report(let report) = reader.content,
      let origin = try? RecordOrigin(report.origin)
    else { return }
    count(origin.app, reader.received.day(), .rejected, "damaged record", detail: "", by: 1)
  }
}
