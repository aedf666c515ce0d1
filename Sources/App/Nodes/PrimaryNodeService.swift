import Core
import Ingest
import Logging
import SQLiteStore
import Storage
import Synchronization
import Web

/// The primary's service for its ingest nodes: sends them their configuration, and stores their records exactly once.
///
/// The records get new sequences in this folder's journal and are then digested like its own records.
final class PrimaryNodeService: NodeService {
  private let installation: Installation
  private let pipeline: Pipeline
  private let epochs: EpochWatch
  private let logger: Logger
  private let fingerprint: UInt64
  /// Whether there is space for more records.
  private let hasRoom: @Sendable () -> Bool
  /// The last contact of each node. The journal has it only for deliveries with records.
  private let heard = Mutex<[NodeID: Timestamp]>([:])
  /// The configuration, with the version of the control database that it was read from.
  private let known = Mutex<(version: Int64, body: [UInt8])?>(nil)

  init(
    _ installation: Installation, _ pipeline: Pipeline, _ epochs: EpochWatch, _ logger: Logger,
    hasRoom: @escaping @Sendable () -> Bool
  ) {
    (self.installation, self.pipeline, self.epochs, self.logger) = (installation, pipeline, epochs, logger)
    self.hasRoom = hasRoom
    fingerprint = NodeConfiguration.fingerprint(pipeline.identity)
  }

  /// The epoch of this primary. Throws `SupersededPrimary` if `known`, the highest epoch of a node, is newer, and
  /// `RivalPrimaries` if it is that of another primary.
  func epoch(known: Epoch) throws -> Epoch {
    let theirs = EpochClaim(known, address: "the primary of its ingest nodes")
    try epochs.learn(theirs)
    let epoch = try pipeline.journal.epoch()
    if let successor = epoch.successor { throw SupersededPrimary(successor) }
    if epoch.isRival(of: known) {
      throw epochs.rivals ?? RivalPrimaries(epoch: epoch.number, epochs.address, theirs.address)
    }
    return epoch
  }

  func configuration() throws -> [UInt8] {
    let control = installation.control
    // The version is read first, so that the next request detects a change between the two reads.
    let version = try control.version()
    if let known = known.withLock({ $0 }), known.version == version { return known.body }
    let body = NodeConfiguration(
      secret: try installation.secret(), apps: try control.apps(), tokens: try control.tokens()
    ).encoded()
    known.withLock { $0 = (version, body) }
    return body
  }

  /// The nodes with their positions and last contacts.
  func nodes() throws -> [IngestNode] {
    let heard = heard.withLock { $0 }
    return try pipeline.journal.ingestNodes().map { node in
      var node = node
      node.heard = max(node.heard, heard[node.id] ?? node.heard)
      return node
    }
  }

  func take(_ delivery: NodeDelivery) throws -> NodeDelivery.Answer {
    guard hasRoom() else { return .unavailable(seconds: 30) }
    let frame: RelayFrame
    do throws(RelayFrame.Failure) {
      frame = try RelayFrame(delivery.body.bytes)
    } catch {
      if case .newerVersion = error { return .newerVersion }
      return .malformed(error.description)
    }
    guard frame.fingerprint == fingerprint else { return .foreign }
    var check = RelayCheck(apps: Set(try installation.control.apps().map(\.id)), at: pipeline.clock.now())
    // This includes records that are left out.
    let through = frame.parts.reduce(delivery.after) { $0.saturatingAdd(Int64($1.count)) }
    let requests = frame.parts.compactMap { check.accepted($0) }
    if check.isOfNewerVersion { return .newerVersion }
    return append(requests, of: delivery, through: through, refused: check.refused)
  }

  private func append(
    _ requests: [PendingRecords], of delivery: NodeDelivery, through: Int64, refused: [String: Int]
  ) -> NodeDelivery.Answer {
    let now = pipeline.clock.now()
    let outcome: RelayOutcome
    do {
      outcome = try pipeline.takeRelayed {
        try $0.take(
          requests, of: delivery.node, named: delivery.name, after: delivery.after, through: through, at: now,
          acknowledged: delivery.acknowledged)
      }
    } catch {
      pipeline.readiness.failed(.journal, error)
      return .unavailable(seconds: 5)
    }
    switch outcome {
    case .tooManyNodes: return .tooManyNodes
    case .elsewhere(let position):
      heard.withLock { $0[delivery.node] = now }
      return .elsewhere(position: position)
    case .taken(let position, _, let repeated, let isNew):
      heard.withLock { $0[delivery.node] = now }
      for (records, isReused) in repeated { countRepetition(records, isReused: isReused) }
      for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
        logger.warning("\(count) records of the node \(delivery.name) \(reason). They are not stored here.")
      }
      if isNew { note(delivery) }
      return .taken(position: position, refused: refused)
    }
  }

  private func countRepetition(_ records: PendingRecords, isReused: Bool) {
    let client = records.bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      guard let bytes = try? reader.slice(), case .report(let report)? = try? RecordReader(bytes).content else {
        return ""
      }
      return String(decoding: report.client, as: UTF8.self)
    }
    pipeline.intake.countRepetition(app: records.app, client: client, isReused: isReused)
  }

  private func note(_ delivery: NodeDelivery) {
    logger.notice("The ingest node \(delivery.name) (\(delivery.node.text)) was added.")
    do {
      try installation.control.acting(as: Actor(.token, delivery.token)).record(
        AuditEvent("node.add", subject: delivery.node.text, detail: delivery.name))
    } catch {
      logger.error("The audit log cannot be written: \(error)")
    }
  }
}

/// Checks every record of a frame before it gets a sequence. Records that a correct node cannot have made are left out
/// and counted, and the others are stored.
private struct RelayCheck {
  private let apps: Set<AppID>
  private let now: Timestamp
  private let admission: RelayedRecordValidator
  /// The numbers of refused records, by reason.
  private(set) var refused: [String: Int] = [:]
  private(set) var isOfNewerVersion = false

  init(apps: Set<AppID>, at now: Timestamp) {
    (self.apps, self.now) = (apps, now)
    admission = RelayedRecordValidator(at: now, tallies: Self.tallies)
  }

  /// The outcomes that an intake counts. The digest counts all others.
  private static let tallies = Set(
    [TallyKind.rejected, .duplicate, .suspectedDuplicate, .limited, .rejectedPart, .empty, .skipped].map(\.rawValue))
  private static let unknownApp = "belong to apps that are unknown to the primary"

  /// The records of a part to store; nil for none.
  mutating func accepted(_ part: RelayPart) -> PendingRecords? {
    guard case .records(var records) = part else { return nil }
    if records.receipt != nil, !apps.contains(records.app) {
      refused[Self.unknownApp, default: 0] += records.count
      return nil
    }
    // This time is stored beside the records, for the age of the backlog and of keys. The records' own times are
    // checked below.
    if !admission.allows(received: records.received) { records.received = now }
    var left = ByteWriter(reserving: records.bytes.count)
    var count = 0
    Self.forEach(of: records) { bytes in
      if let reason = refusal(of: bytes) {
        refused[reason, default: 0] += 1
      } else {
        left.blob(bytes)
        count += 1
      }
    }
    guard count > 0 else { return nil }
    if count < records.count { (records.bytes, records.count) = (left.bytes, count) }
    return records
  }

  /// Why a record is refused; nil if it is stored.
  private mutating func refusal(of bytes: UnsafeRawBufferPointer) -> String? {
    if RecordReader.isOfNewerVersion(bytes) { isOfNewerVersion = true }
    do throws(RelayedRecordValidator.Refusal) {
      try admission.check(bytes)
    } catch {
      if error == .unknownMetric { isOfNewerVersion = true }
      return error.rawValue
    }
    guard let app = try? RecordReader(bytes).app(), apps.contains(app) else { return Self.unknownApp }
    return nil
  }

  private static func forEach(of records: PendingRecords, _ body: (UnsafeRawBufferPointer) -> Void) {
    records.bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for _ in 0..<records.count {
        guard let bytes = try? reader.slice() else { return }
        body(bytes)
      }
    }
  }
}
