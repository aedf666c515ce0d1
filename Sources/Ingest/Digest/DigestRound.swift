import Core
import Storage

/// Merges the records of one flush. An app that has used its share falls behind, so that the records of other apps are
/// also digested.
struct DigestRound {
  /// The limits on the work and memory of a flush.
  struct Limits {
    /// The most work, in microseconds as `RecordAggregator.work` estimates it.
    var work: Int
    /// The most memory, in bytes as `RecordAggregator.weight` estimates it.
    var weight: Int
    /// The share of a flush's work and memory, from 0 to 1, that one app may use.
    var share: Double
    var records = Int.max
  }

  private var aggregator = RecordAggregator()
  private var deferred: DeferredRecords
  /// The store's position before the flush.
  let start: DigestPosition
  /// The store's position after the flush.
  private(set) var position: DigestPosition
  private let limits: Limits
  private var spent: [AppID: Double] = [:]
  private var bytes: [AppID: Int] = [:]
  private var scannedBytes = 0
  private var records = 0
  /// Whether the round has merged a new record of an app that is not behind.
  private var hasNew = false
  private var quarantined: [QuarantinedRecord] = []
  private let node: NodeID
  /// Called with the sequence of every record before it is digested.
  var willDigest: ((Int64) -> Void)?

  init(after start: DigestPosition, of node: NodeID, limits: Limits) {
    self.node = node
    deferred = DeferredRecords(node: node)
    self.start = start
    position = start
    self.limits = limits
  }

  /// Whether the flush would change nothing in the store.
  var isEmpty: Bool { position == start }

  /// Whether the round has records of apps that are not behind, while others wait to catch up.
  var isAheadOfOthers: Bool { hasNew && catchUpStart != nil }

  /// Whether a limit is reached, so that a flush is due.
  var isFull: Bool { load >= 1 || records >= limits.records }

  /// The estimated time to digest and apply the round, in microseconds.
  var work: Int { aggregator.work + deferred.work + scannedBytes / 1024 }

  /// The used part of the round's limits; 1 means that the round is full.
  private var load: Double {
    max(
      Double(work) / Double(max(1, limits.work)),
      Double(aggregator.weight + 2 * deferred.weight) / Double(max(1, limits.weight)))
  }

  /// The apps that are behind and have not used their share of the round.
  private var waiting: [AppID] { position.behind.keys.filter { spent[$0, default: 0] < limits.share } }

  /// The sequence after which skipped records must be read; nil if no app may catch up.
  var catchUpStart: Int64? { waiting.compactMap { position.behind[$0] }.min() }

  /// Merges the batch's records after `position.through` in order, until the round is full.
  mutating func advance(through batch: JournalBatch, settingAside: Set<Int64> = []) {
    if batch.first > position.through + 1, !isFull { noteLoss(of: position.through + 1...batch.first - 1) }
    batch.forEachRecord(after: position.through) { sequence, record in
      guard !isFull else { return false }
      take(sequence, record, settingAside)
      position.through = sequence
      return true
    }
  }

  /// Merges the batch's skipped records of apps that are behind. Batches must follow `catchUpStart`.
  mutating func catchUp(through batch: JournalBatch, settingAside: Set<Int64> = []) {
    scannedBytes += batch.records.count
    // `advance` digests later records.
    let last = min(batch.through, position.through)
    var reached = last
    batch.forEachRecord(after: (catchUpStart ?? last)) { sequence, record in
      guard sequence <= last else { return false }
      guard !isFull else {
        reached = sequence - 1
        return false
      }
      guard case .of(let app, _, _) = record, let applied = position.behind[app], applied < sequence else {
        return true
      }
      if spent[app, default: 0] < limits.share {
        digest(sequence, record, settingAside)
        position.behind[app] = sequence
      }
      return true
    }
    // Apps that still have some of their share have no more records up to here.
    for app in waiting where position.behind[app, default: 0] < reached { position.behind[app] = reached }
    for (app, applied) in position.behind where applied >= position.through { position.behind[app] = nil }
  }

  /// Counts records that are missing from the journal, because a database was lost or restored from a backup.
  private mutating func noteLoss(of sequences: ClosedRange<Int64>) {
    let (first, last) = (sequences.lowerBound, sequences.upperBound)
    var loss = QuarantinedRecord(
      sequence: first, app: nil, received: Timestamp(milliseconds: 0),
      reason: "records \(first)–\(last) are no longer in the journal", record: [])
    loss.count = Int(last - first) + 1
    quarantined.append(loss)
    aggregator.counts.addLost(loss.count)
    records += 1
    position.through = sequences.upperBound
  }

  /// Gives up the skipped records, which are missing from the journal.
  mutating func forgetPassed() { position.behind = [:] }

  /// The furthest position that merging this batch can reach.
  func target(advancingThrough batch: JournalBatch) -> DigestPosition {
    DigestPosition(through: max(position.through, batch.through), behind: position.behind)
  }

  /// The furthest position that catching up through this batch can reach.
  func target(catchingUpThrough batch: JournalBatch) -> DigestPosition {
    var target = position
    for app in waiting { target.behind[app] = max(target.behind[app, default: 0], min(batch.through, target.through)) }
    return target
  }

  /// Ends the round and returns its changes for the store.
  mutating func close() -> DigestedBatch {
    var batch = aggregator.take(node: node, from: start.through + 1, through: position.through)
    if !deferred.isEmpty { batch.parts = deferred }
    deferred = DeferredRecords(node: node)
    batch.behindBefore = start.behind
    batch.behind = position.behind
    batch.quarantined = quarantined
    for (app, count) in bytes { batch.shares[app] = BatchShare(bytes: count, load: spent[app] ?? 0) }
    return batch
  }

  private mutating func take(_ sequence: Int64, _ record: JournalBatch.Record, _ settingAside: Set<Int64>) {
    guard case .of(let app, _, _) = record else { return digest(sequence, record, settingAside) }
    if position.behind[app] != nil { return }
    if spent[app, default: 0] >= limits.share {
      position.behind[app] = sequence - 1
    } else {
      hasNew = true
      digest(sequence, record, settingAside)
    }
  }

  private mutating func digest(_ sequence: Int64, _ record: JournalBatch.Record, _ settingAside: Set<Int64>) {
    records += 1
    if settingAside.contains(sequence) { return quarantine(sequence, record) }
    willDigest?(sequence)
    let before = load
    if !isDeferred(record), !aggregator.digest(record) { keepDamaged(sequence, record) }
    if case .of(let app, _, let content) = record {
      spent[app, default: 0] += load - before
      bytes[app, default: 0] += content.count
    }
  }

  /// The most cells in time bins that are merged in memory. Beyond it, a record of another cell is deferred if
  /// possible.
  private static let mostCells = 250

  private mutating func isDeferred(_ record: JournalBatch.Record) -> Bool {
    guard aggregator.cellBinCount >= Self.mostCells, case .of(let app, let reader, let bytes) = record,
      case .report(let report) = reader.content, report.beginsWithDay, let outline = try? report.check(),
      !outline.isOrdered, !outline.hasInstants
    else { return false }
    deferred.append(bytes, of: app, outline)
    return true
  }

  private mutating func quarantine(_ sequence: Int64, _ record: JournalBatch.Record) {
    switch record {
    case .of(let app, let reader, let bytes): quarantine(sequence, bytes, of: app, reader.received)
    case .damaged(let bytes): quarantine(sequence, bytes, of: nil, Timestamp(milliseconds: 0))
    case .unreadable:
      aggregator.digest(record)
      keepDamaged(sequence, record)
    }
  }

  private mutating func quarantine(
    _ sequence: Int64, _ bytes: UnsafeRawBufferPointer, of app: AppID?, _ received: Timestamp
  ) {
    keep(
      QuarantinedRecord(
        sequence: sequence, app: app, received: received,
        reason: "it ended the process, or the store refused it", record: Self.kept(bytes)))
    aggregator.counts.addQuarantined(app: app ?? 0, received.day())
  }

  /// Keeps the bytes of records that cannot be decoded. They are already counted.
  private mutating func keepDamaged(_ sequence: Int64, _ record: JournalBatch.Record) {
    var (app, received, bytes, count) = (
      AppID?.none, Timestamp(milliseconds: 0), UnsafeRawBufferPointer(start: nil, count: 0), 1
    )
    switch record {
    case .of(let known, let reader, let content): (app, received, bytes) = (known, reader.received, content)
    case .damaged(let content): bytes = content
    case .unreadable(let records, let content): (count, bytes) = (records, content)
    }
    var damaged = QuarantinedRecord(
      sequence: sequence, app: app, received: received,
      reason: count == 1 ? "it cannot be decoded" : "records \(sequence - Int64(count) + 1)–\(sequence) cannot be read",
      record: Self.kept(bytes))
    damaged.count = count
    keep(damaged)
  }

  /// The most entries that a flush keeps in the store, and the most bytes of each.
  private static let most = (entries: 200, bytes: 1 << 20)

  private static func kept(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { [UInt8](bytes.prefix(most.bytes)) }

  private mutating func keep(_ record: QuarantinedRecord) {
    if quarantined.count >= Self.most.entries { quarantined.removeFirst() }
    quarantined.append(record)
  }
}
