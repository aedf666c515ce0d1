import Core
import Statistics
public import Storage

/// Merges records into changes of the store, in memory. It uses no store and no clock, so equal records give equal
/// changes.
public struct RecordAggregator {
  private var origins: [[UInt8]: Int] = [:]
  private(set) var cells: [CellKey] = []
  private var cellBinIndices: [CellBinKey: Int] = [:]
  var cellBins: [CellBin] = []
  private var received: [Timestamp] = []
  private var agedCells = AgedCellBins()
  var sessions: [SessionRecord] = []
  private var accumulations: [AccumulationRecord] = []
  var diagnostics: [DiagnosticRecord] = []
  var counts = DigestCounts()
  private var seriesCount = 0
  /// The number of attributes beyond the first of the cells of all series.
  private var furtherAttributes = 0
  /// The bytes of diagnostics held in memory.
  var diagnosticBytes = 0
  /// The estimated time to group diagnostics and to store samples of them, in microseconds.
  var diagnosticWork = 0
  /// The number of bins and spans in all distributions.
  private var parts = 0
  /// The number of samples and buckets in `accumulations`.
  private var accumulatedParts = 0
  /// The measurements of the current record.
  private var measured = DecodedMeasurements()
  /// The index of the `CellBin` of the preceding measurement, usually also that of the next one.
  private var lastCellBin = Int.max
  private var from: Int64?
  private var through: Int64 = 0
  /// The encoded size of all records merged so far, in bytes.
  private var recordBytes = 0
  /// Emptied bins, whose names and memory the next cells use.
  private var spare: [CellBin] = []
  /// The bins whose series are in the changes that `take` returned last.
  private var lent: [CellBin] = []
  /// The memory of `spare` and `lent`, in bytes at most. Beyond 32 MB they are freed.
  private var spareBytes = 0

  public init() {}

  /// The number of cells in time bins.
  var cellBinCount: Int { cellBins.count }

  /// Whether nothing was merged since the last `take`.
  var isEmpty: Bool { from == nil }

  /// The estimated time to digest and apply the records, in microseconds.
  var work: Int {
    recordBytes / 64 + cellBins.count * 40 + (seriesCount + agedCells.seriesCount) * 35 + sessions.count * 15
      + accumulations.count * 240
      + diagnosticWork + parts / 2 + accumulatedParts
  }

  /// The estimated memory until the records are applied, in bytes. A series has rows in up to seven sums, and in three
  /// for each further attribute.
  var weight: Int {
    let series =
      cellBins.count * 9_000 + seriesCount * 1_200 + agedCells.seriesCount * 2_400 + furtherAttributes * 400 + parts
      * 160
    let events = sessions.count * 480 + diagnostics.count * 1024 + diagnosticBytes * 2
    return series + events + counts.count * 500 + accumulations.count * 4096 + accumulatedParts * 96
  }

  /// Merges a batch of the journal. Batches must be contiguous. A record that cannot be decoded is counted as damaged.
  public mutating func digest(_ batch: JournalBatch) {
    if from == nil { from = batch.first }
    through = batch.through
    batch.forEachRecord(after: batch.first - 1) { _, record in
      digest(record)
      return true
    }
  }

  /// Merges a record. A record that cannot be decoded is counted as damaged, for its app or, if that is unknown, for
  /// `unknownApp`. Returns false for such a record.
  @discardableResult mutating func digest(_ record: JournalBatch.Record) -> Bool {
    switch record {
    case .unreadable(let count, _):
      counts.addDamaged(app: IntakeTally.unknownApp, IntakeTally.unknownDay, count)
      return false
    case .damaged(let bytes):
      recordBytes += bytes.count
      counts.addDamaged(app: IntakeTally.unknownApp, IntakeTally.unknownDay, 1)
      return false
    case .of(let app, let reader, let bytes):
      recordBytes += bytes.count
      let day = reader.clock.day(of: reader.received)
      do { try digest(reader, day) } catch {
        counts.addDamaged(app: app, day, 1)
        return false
      }
      return true
    }
  }

  /// Returns the changes since the last call, as one contiguous range; nil if there are none.
  public mutating func take(node: NodeID) -> DigestedBatch? {
    from.map { take(node: node, from: $0, through: through) }
  }

  /// Returns the changes since the last call, for a range that the caller keeps. `isLent`: whether the caller gives them
  /// back with `reuse`.
  mutating func take(node: NodeID, from: Int64, through: Int64, isLent: Bool = false) -> DigestedBatch {
    for (index, cellBin) in cellBins.enumerated() where cellBin.folded > 0 {
      counts.addFolded(app: cells[cellBin.cell].app, received[index].day(), cellBin.folded)
    }
    let deltas = cellBins.indices.map { index in
      CellDelta(
        key: cells[cellBins[index].cell], bin: cellBins[index].bin,
        series: cellBins[index].takeSeries(), received: received[index])
    }
    var batch = DigestedBatch(
      node: node, from: from, through: through, cells: deltas, sessions: sessions, accumulations: accumulations,
      diagnostics: diagnostics, tallies: counts.tallies(of: cells))
    batch.agedCells = agedCells.deltas(cells)
    var next = RecordAggregator()
    // Slots of kept bins are those of the known heads.
    if isLent { next.measured = measured }
    // Each series may be larger than what it had in the bin before, so bytes only add up.
    let bytes = spareBytes + 300 * seriesCount + 48 * parts
    if isLent, bytes < 32 << 20 { (next.lent, next.spare, next.spareBytes) = (cellBins, spare, bytes) }
    self = next
    return batch
  }

  /// Takes the changes back that `take` lent, when they are applied. The next cells use their memory.
  mutating func reuse(_ batch: consuming DigestedBatch) {
    guard batch.cells.count == lent.count else { return }
    for index in lent.indices { lent[index].reuse(&batch.cells[index].series) }
    spare += lent
    lent = []
  }

  private struct CellBinKey: Hashable {
    let cell: Int
    let bin: TimeBin
  }

  private mutating func digest(_ reader: RecordReader, _ day: CalendarDay) throws(DamagedBytes) {
    switch reader.content {
    case .tally(let app, let tally): try counts.add(tally, app: app, day)
    case .report(var report):
      // All is read before any is merged, so that no part of a damaged record is counted.
      try measured.read(&report)
      let sessions = try report.sessions()
      let diagnostics = try report.diagnostics()
      let losses = try report.losses()
      let remarks = try report.remarks()
      let cell = try index(ofOrigin: report.origin)
      lastCellBin = Int.max
      var payload = CurrentPayload(cell: cell, received: reader.received, clock: reader.clock)
      payload.firstRun = report.firstRun
      mergeMeasurements(&payload)
      merge(sessions, &payload)
      merge(diagnostics, &payload)
      counts.addReport(cell: cell, client: report.client, day, newest: payload.newestDay)
      counts.add(remarks, losses, app: cells[cell].app, report.client, day)
    }
  }

  private mutating func index(ofOrigin bytes: UnsafeRawBufferPointer) throws(DamagedBytes) -> Int {
    let key = [UInt8](bytes)
    if let known = origins[key] { return known }
    let origin = try ReportContext(bytes)
    cells.append(
      CellKey(
        app: origin.app, source: origin.source, environment: origin.environment, release: Self.named(origin.release),
        os: origin.device.system.title, model: origin.device.model, attributes: origin.attributes))
    origins[key] = cells.count - 1
    return cells.count - 1
  }

  /// The release. A version equal to Plumb's title for missing versions counts as missing.
  private static func named(_ release: Release) -> Release {
    Release(version: UnknownName.stored(release.version), build: release.build)
  }
}

// MARK: Measurements

extension RecordAggregator {
  private mutating func mergeMeasurements(_ payload: inout CurrentPayload) {
    var next = 0
    while next < measured.items.count {
      let (first, time) = (next, measured.items[next].time)
      repeat { next += 1 } while next < measured.items.count && measured.items[next].time == time
      let bin = payload.bin(of: time)
      let index = cellBin(payload.cell, bin, payload.received)
      let before = cellBins[index].count
      for position in first..<next { merge(position, into: index, &payload) }
      let added = cellBins[index].count - before
      seriesCount += added
      furtherAttributes += added * max(0, cells[payload.cell].attributes.count - 1)
      payload.note(cellBin: index, bin: bin)
    }
    close(payload)
  }

  /// Merges a measurement into its series. The values of a labelled one are also added to the sum over all labels.
  private mutating func merge(_ position: Int, into cellBin: Int, _ payload: inout CurrentPayload) {
    let item = measured.items[position]
    let head = measured.heads[item.head]
    if item.form == .unmerged { return merge(measured.unmerged[item.values.lowerBound], item, into: cellBin, &payload) }
    let kind = head.isDistribution ? CellSeries.Kind.distribution : .counter
    let whole = seriesIndex(item, head, labelled: false, in: cellBin, kind)
    let part = head.isLabelled ? seriesIndex(item, head, labelled: true, in: cellBin, kind) : nil
    if head.isInRates { payload.totals.note(item, of: measured) }
    guard head.isDistribution else {
      let steps = measured.steps(of: item)
      cellBins[cellBin].count(steps: steps, at: whole)
      if let part { cellBins[cellBin].count(steps: steps, at: part) }
      return
    }
    var cluster = ClusterSum()
    parts += cellBins[cellBin].insert(item, of: measured, at: whole, &cluster)
    close(cluster, item, head, labelled: false, in: cellBin, whole, &payload)
    if let part {
      cluster = ClusterSum()
      parts += cellBins[cellBin].insert(item, of: measured, at: part, &cluster)
      close(cluster, item, head, labelled: true, in: cellBin, part, &payload)
    }
    if payload.firstRun != nil { parts += agedCells.insert(item, of: measured, on: cellBins[cellBin].bin.day, payload) }
  }

  private mutating func merge(
    _ point: DecodedMeasurements.Unmerged, _ item: DecodedMeasurements.Item, into cellBin: Int,
    _ payload: inout CurrentPayload
  ) {
    let (head, names) = (measured.heads[item.head], measured.heads.names[item.head])
    let bin = cellBins[cellBin].bin
    if let accumulation = point.accumulation {
      accumulatedParts += point.parts
      accumulations.append(
        AccumulationRecord(
          key: cells[payload.cell], metric: names.metric, label: names.label, accumulation: accumulation,
          time: payload.instant(of: item.time), bin: bin, value: point.value, extent: point.extent,
          received: payload.received))
      return
    }
    payload.totals.note(point.value, of: head.number)
    var cluster = ClusterSum()
    let aggregate = Aggregate(point.value, extent: point.extent, of: names.metric, cluster: &cluster)
    if head.isDistribution, payload.firstRun != nil {
      parts += agedCells.merge(aggregate, cluster, item, of: measured, on: bin.day, payload)
    }
    for labelled in head.isLabelled ? [false, true] : [false] {
      let kind = head.isDistribution ? CellSeries.Kind.distribution : .counter
      let index = seriesIndex(item, head, labelled: labelled, in: cellBin, kind)
      let before = head.isDistribution ? cellBins[cellBin].parts(at: index) : 0
      cellBins[cellBin].merge(aggregate, at: index)
      guard head.isDistribution else { continue }
      parts += cellBins[cellBin].parts(at: index) - before
      close(cluster, item, head, labelled: labelled, in: cellBin, index, &payload)
    }
  }

  private mutating func seriesIndex(
    _ item: DecodedMeasurements.Item, _ head: MeasurementHeads.Head, labelled: Bool, in cellBin: Int,
    _ kind: CellSeries.Kind
  ) -> Int {
    cellBins[cellBin].index(
      of: labelled ? head.part : head.whole, kind, measured.heads.names[item.head].identity(labelled: labelled)
    ) { measured.heads.names[item.head].series(labelled: labelled) }
  }

  /// Ends a measurement's cluster. A payload is one cluster per day. A measurement of a whole day is added at once,
  /// those with instants when the payload ends.
  private mutating func close(
    _ cluster: ClusterSum, _ item: DecodedMeasurements.Item, _ head: MeasurementHeads.Head, labelled: Bool,
    in cellBin: Int, _ index: Int, _ payload: inout CurrentPayload
  ) {
    // The sum over labels is one cluster, whatever the number of labels.
    if case .day = item.time, labelled == head.isLabelled { return cellBins[cellBin].close(cluster, at: index) }
    payload.merge(
      cluster, slot: labelled ? head.part : head.whole, measured.heads.names[item.head], labelled: labelled,
      day: cellBins[cellBin].bin.day)
  }

  private mutating func close(_ payload: CurrentPayload) {
    if payload.firstRun != nil { agedCells.endPayload() }
    for open in payload.openClusters {
      let index = cellBin(payload.cell, TimeBin(open.day), payload.received)
      let series = cellBins[index].index(of: open.slot, .distribution, open.identity) { (open.metric, open.label) }
      cellBins[index].close(open.sum, at: series)
    }
    guard let index = payload.dayCellBin ?? payload.anyDay.map({ cellBin(payload.cell, $0, payload.received) })
    else { return }
    let aged = payload.firstRun == nil ? nil : agedCells.bin(on: cellBins[index].bin.day, payload)
    for pair in payload.totals.pairs(of: cells[payload.cell].source) {
      cellBins[index].add(pair)
      if let aged { agedCells.add(pair, to: aged) }
    }
    cellBins[index].countWholePayload()
  }

  private mutating func cellBin(_ cell: Int, _ bin: TimeBin, _ time: Timestamp) -> Int {
    if lastCellBin < cellBins.count, cellBins[lastCellBin].cell == cell, cellBins[lastCellBin].bin == bin {
      return lastCellBin
    }
    let key = CellBinKey(cell: cell, bin: bin)
    if let known = cellBinIndices[key] {
      received[known] = max(received[known], time)
      lastCellBin = known
      return known
    }
    var next = spare.popLast() ?? CellBin()
    next.begin(cell: cell, bin: bin)
    cellBins.append(next)
    received.append(time)
    lastCellBin = cellBins.count - 1
    cellBinIndices[key] = lastCellBin
    return lastCellBin
  }
}
