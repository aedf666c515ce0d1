import Bytes
import Record
import Storage
import Telemetry

/// The records of one flush. An app that has used up its share falls behind, so that those of other apps are reached.
struct DigestRound {
  /// How much a flush may be.
  struct Limits {
    /// In the microseconds of `Digester.work`.
    var work: Int
    /// In the bytes of `Digester.weight`.
    var weight: Int
    /// The part of both that one app may have.
    var share: Double
    var records = Int.max
  }

  private var digester = Digester()
  /// Where the store is.
  let start: DigestPosition
  /// Where it will be.
  private(set) var position: DigestPosition
  private let limits: Limits
  private var spent: [AppID: Double] = [:]
  private var scannedBytes = 0
  private var records = 0
  private var quarantined: [QuarantinedRecord] = []
  /// Called with the sequence of every record before it is digested.
  var willDigest: ((Int64) -> Void)?

  init(after start: DigestPosition, limits: Limits) {
    self.start = start
    position = start
    self.limits = limits
  }

  /// Nothing would change.
  var isEmpty: Bool { position == start }

  /// A flush is due, however young it is.
  var isFull: Bool { load >= 1 || records >= limits.records }

  /// The estimate of what digesting and applying it takes, in microseconds.
  var work: Int { digester.work + scannedBytes / 1024 }

  /// How full it is: 1 is full.
  private var load: Double {
    max(Double(work) / Double(max(1, limits.work)), Double(digester.weight) / Double(max(1, limits.weight)))
  }

  /// Apps that are behind and may go on in this round.
  private var waiting: [AppID] { position.behind.keys.filter { spent[$0, default: 0] < limits.share } }

  /// The sequence behind which the next records of apps that are behind are wanted; nil when none may go on.
  var catchUpStart: Int64? { waiting.compactMap { position.behind[$0] }.min() }

  /// Takes in the records of a batch that were not passed yet, in order, until the round is full.
  mutating func advance(through batch: JournalBatch, settingAside: Set<Int64> = []) {
    batch.forEachRecord(after: position.through) { sequence, record in
      guard !isFull else { return false }
      take(sequence, record, settingAside)
      position.through = sequence
      return true
    }
  }

  /// Takes in records that were passed, of apps that are behind. Batches must be those behind `catchUpStart`.
  mutating func catchUp(through batch: JournalBatch, settingAside: Set<Int64> = []) {
    scannedBytes += batch.records.count
    // Records that were not passed yet are read by `advance`.
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
    // Apps with a share left have no more records up to here.
    for app in waiting where position.behind[app, default: 0] < reached { position.behind[app] = reached }
    for (app, applied) in position.behind where applied >= position.through { position.behind[app] = nil }
  }

  /// Gives up the records of apps that are behind: the journal does not have them any more.
  mutating func forgetPassed() { position.behind = [:] }

  /// Where the round can lead at most when it takes in this batch.
  func target(advancingThrough batch: JournalBatch) -> DigestPosition {
    DigestPosition(through: max(position.through, batch.through), behind: position.behind)
  }

  /// Where it can lead at most when apps that are behind go on through this batch.
  func target(catchingUpThrough batch: JournalBatch) -> DigestPosition {
    var target = position
    for app in waiting { target.behind[app] = max(target.behind[app, default: 0], min(batch.through, target.through)) }
    return target
  }

  /// What the store has to apply; the round is over.
  mutating func close(node: NodeID) -> DigestedBatch {
    var batch = digester.take(node: node, from: start.through + 1, through: position.through)
    batch.behindBefore = start.behind
    batch.behind = position.behind
    batch.quarantined = quarantined
    return batch
  }

  private mutating func take(_ sequence: Int64, _ record: JournalBatch.Record, _ settingAside: Set<Int64>) {
    guard case .of(let app, _, _) = record else { return digest(sequence, record, settingAside) }
    if position.behind[app] != nil { return }
    if spent[app, default: 0] >= limits.share {
      position.behind[app] = sequence - 1
    } else {
      digest(sequence, record, settingAside)
    }
  }

  private mutating func digest(_ sequence: Int64, _ record: JournalBatch.Record, _ settingAside: Set<Int64>) {
    records += 1
    if settingAside.contains(sequence) { return quarantine(sequence, record) }
    willDigest?(sequence)
    let before = load
    digester.digest(record)
    if case .of(let app, _, _) = record { spent[app, default: 0] += load - before }
  }

  private mutating func quarantine(_ sequence: Int64, _ record: JournalBatch.Record) {
    switch record {
    case .of(let app, let reader, let bytes): quarantine(sequence, bytes, of: app, reader.received)
    case .damaged(let bytes): quarantine(sequence, bytes, of: nil, Timestamp(milliseconds: 0))
    case .unreadable: digester.digest(record)
    }
  }

  private mutating func quarantine(
    _ sequence: Int64, _ bytes: UnsafeRawBufferPointer, of app: AppID?, _ received: Timestamp
  ) {
    quarantined.append(
      QuarantinedRecord(
        sequence: sequence, app: app, received: received,
        reason: "it ended the process, or the store refused it", record: [UInt8](bytes)))
    digester.countQuarantined(app: app ?? 0, received.day())
  }
}
