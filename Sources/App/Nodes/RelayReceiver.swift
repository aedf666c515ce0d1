import Access
import Bytes
import HTTP
import Intake
import Logging
import Record
import SQLiteStore
import Server
import Storage
import Synchronization
import Telemetry

/// A primary's side of its ingest nodes: gives them their configuration, and takes over their records, each once.
///
/// The records get sequences of this folder's journal, and from there go the same way as those that were received here.
final class RelayReceiver: Sendable {
  private let installation: Installation
  private let pipeline: Pipeline
  private let logger: Logger
  private let fingerprint: UInt64
  /// Whether there is room for more records.
  private let hasRoom: @Sendable () -> Bool
  /// When each node was heard of; the journal knows it only of deliveries with records.
  private let heard = Mutex<[NodeID: Timestamp]>([:])
  /// The configuration, with the version of the control database of which it is.
  private let known = Mutex<(version: Int64, body: [UInt8])?>(nil)

  init(
    _ installation: Installation, _ pipeline: Pipeline, _ logger: Logger, hasRoom: @escaping @Sendable () -> Bool
  ) {
    (self.installation, self.pipeline, self.logger, self.hasRoom) = (installation, pipeline, logger, hasRoom)
    fingerprint = NodeConfiguration.fingerprint(pipeline.identity)
  }

  var service: NodeService {
    NodeService(
      configuration: { try self.configuration() }, take: { try self.take($0) }, nodes: { try self.nodes() })
  }

  private func configuration() throws -> [UInt8] {
    let control = installation.control
    // The version first: a change between the two reads is then found by the next request.
    let version = try control.version()
    if let known = known.withLock({ $0 }), known.version == version { return known.body }
    let body = NodeConfiguration(
      secret: try installation.secret(), apps: try control.apps(), tokens: try control.tokens()
    ).encoded()
    known.withLock { $0 = (version, body) }
    return body
  }

  private func nodes() throws -> [IngestNode] {
    let heard = heard.withLock { $0 }
    return try pipeline.journal.ingestNodes().map { node in
      var node = node
      node.heard = max(node.heard, heard[node.id] ?? node.heard)
      return node
    }
  }

  private func take(_ delivery: NodeService.Delivery) throws -> NodeService.Answer {
    guard hasRoom() else { return .unavailable(seconds: 30) }
    let frame: RelayFrame
    do throws(RelayFrame.Failure) {
      frame = try RelayFrame(delivery.body.bytes)
    } catch {
      if case .newerVersion = error { return .newerVersion }
      return .malformed(error.description)
    }
    guard frame.fingerprint == fingerprint else { return .foreign }
    var check = RelayCheck(apps: Set(try installation.control.apps().map(\.id)))
    // Also of what is left out.
    let through = frame.parts.reduce(delivery.after) { $0.addingSaturated(Int64($1.count)) }
    let requests = frame.parts.compactMap { check.accepted($0) }
    if check.isOfNewerVersion { return .newerVersion }
    return append(requests, of: delivery, through: through, refused: check.refused)
  }

  private func append(
    _ requests: [PendingRecords], of delivery: NodeService.Delivery, through: Int64, refused: Int
  ) -> NodeService.Answer {
    let now = pipeline.clock.now()
    let outcome: RelayOutcome
    do {
      outcome = try pipeline.takeRelayed {
        try $0.take(
          requests, of: delivery.node, named: delivery.name, after: delivery.after, through: through, at: now)
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
      if refused > 0 {
        logger.warning("\(refused) records of the node \(delivery.name) are of apps that are not known here.")
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

  private func note(_ delivery: NodeService.Delivery) {
    logger.notice("The ingest node \(delivery.name) (\(delivery.node.text)) is new here.")
    do {
      try installation.control.acting(as: Actor(.token, delivery.token)).record(
        AuditEvent("node.add", subject: delivery.node.text, detail: delivery.name))
    } catch {
      logger.error("The audit log cannot be written: \(error)")
    }
  }
}

/// Looks at every record of a frame before it gets a sequence. What cannot be read is left to the digest, which sets it
/// aside with its bytes.
private struct RelayCheck {
  let apps: Set<AppID>
  /// The records of apps that are not known here, which are left out.
  private(set) var refused = 0
  private(set) var isOfNewerVersion = false

  init(apps: Set<AppID>) { self.apps = apps }

  /// The records of a part that are taken over; nil for none.
  mutating func accepted(_ part: RelayPart) -> PendingRecords? {
    guard case .records(var records) = part else { return nil }
    if records.receipt != nil, !apps.contains(records.app) {
      refused += records.count
      return nil
    }
    let unknown = unknown(in: records)
    guard !unknown.isEmpty else { return records }
    refused += unknown.count
    guard unknown.count < records.count else { return nil }
    var left = ByteWriter(reserving: records.bytes.count)
    Self.forEach(of: records) { index, bytes in if !unknown.contains(index) { left.blob(bytes) } }
    (records.bytes, records.count) = (left.bytes, records.count - unknown.count)
    return records
  }

  /// The indices of the records of apps that are not known here. What cannot be read belongs to the app of its request.
  private mutating func unknown(in records: PendingRecords) -> Set<Int> {
    var (unknown, isNewer) = (Set<Int>(), false)
    Self.forEach(of: records) { index, bytes in
      if RecordReader.isOfNewerVersion(bytes) { isNewer = true }
      if let app = try? RecordReader(bytes).app(), !apps.contains(app) { unknown.insert(index) }
    }
    if isNewer { isOfNewerVersion = true }
    return unknown
  }

  private static func forEach(of records: PendingRecords, _ body: (Int, UnsafeRawBufferPointer) -> Void) {
    records.bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for index in 0..<records.count {
        guard let bytes = try? reader.slice() else { return }
        body(index, bytes)
      }
    }
  }
}
