import Bytes
public import Decoding
import Record
public import Storage
public import Telemetry

/// Bytes → reports → records → the journal. The server and `import` both come in here.
public final class Intake: Sendable {
  /// What `Intake` needs to know of an app to write its records.
  public struct Identity: Sendable {
    /// The keyed hash of a session's or user's id.
    public var hash: @Sendable (_ text: String, _ scope: String) -> UInt64
    /// How far the clocks of the app's zone are ahead of UTC, in seconds.
    public var utcOffsetSeconds: @Sendable (AppID, Timestamp) -> Int

    public init(
      hash: @escaping @Sendable (String, String) -> UInt64,
      utcOffsetSeconds: @escaping @Sendable (AppID, Timestamp) -> Int
    ) {
      self.hash = hash
      self.utcOffsetSeconds = utcOffsetSeconds
    }
  }

  private let identity: Identity
  private let writer: JournalWriter
  private let tallies: TallyBook
  private let recent = RecentBodies()

  public init(identity: Identity, writer: JournalWriter, tallies: TallyBook) {
    self.identity = identity
    self.writer = writer
    self.tallies = tallies
  }

  /// Decodes a body and queues its records. `completion` hears when they are on disk. A body that cannot be understood
  /// throws, is counted, and leaves nothing behind. `isPadded` says that 64 bytes behind the body are readable.
  public func receive(
    _ body: UnsafeRawBufferPointer, isPadded: Bool = false, app: AppID, idempotencyKey: String?, received: Timestamp,
    decoder: PayloadDecoder, completion: @escaping JournalWriter.Completion
  ) throws(DecodingFailure) {
    let offset = identity.utcOffsetSeconds(app, received)
    let records: PendingRecords
    do {
      let reports = try decoder.decode(body, isPadded: isPadded, received: received, appZone: offset)
      let receipt = idempotencyKey.map { identity.hash($0, "receipt \(app)") }
      records = encode(reports, RecordHeader(app: app, received: received, utcOffsetSeconds: offset), receipt)
    } catch {
      tallies.count(.rejected, app: app, reason: error.reason.rawValue, detail: error.description)
      throw error
    }
    if recent.insert(body, app: app), idempotencyKey == nil {
      tallies.count(.suspectedDuplicate, app: app, reason: "equal body")
    }
    writer.append(records) { [tallies] result in
      if case .success(.duplicate) = result { tallies.count(.duplicate, app: app, reason: "idempotency key") }
      completion(result)
    }
  }

  /// Counts a body that could not be understood before it came to a decoder.
  public func countRejection(app: AppID, reason: String, detail: String) {
    tallies.count(.rejected, app: app, reason: reason, detail: detail)
  }

  /// Counts a request that was refused before its body was decoded.
  public func countRefusal(app: AppID, reason: String) { tallies.count(.limited, app: app, reason: reason) }

  private func encode(_ reports: [Report], _ header: RecordHeader, _ receipt: UInt64?) -> PendingRecords {
    var writer = ByteWriter(reserving: 1200 * reports.count)
    for report in reports { writer.blob(RecordWriter.encode(report, header, hash: identity.hash)) }
    return PendingRecords(
      app: header.app, bytes: writer.bytes, count: reports.count, receipt: receipt, received: header.received)
  }
}
