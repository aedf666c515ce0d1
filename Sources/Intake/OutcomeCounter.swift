import Record
public import Storage
import Synchronization
public import Telemetry

/// What was refused or repeated, counted until the journal's next transaction: at most one record a second for each app
/// and reason, so that a flood of bad requests does not become a flood of records.
public final class OutcomeCounter: Sendable {
  private let entries = Mutex<[Name: Entry]>([:])
  private let clock: @Sendable () -> Timestamp

  private struct Name: Hashable {
    let app: AppID
    let client: String
    let kind: TallyKind
    let reason: String
  }

  private struct Entry {
    var count: Int
    var detail: String
  }

  /// From so many different ones between two transactions on, further clients are one.
  private static let limit = 1000
  private static let others = "(other)"

  /// `clock` says when a record is made.
  public init(clock: @escaping @Sendable () -> Timestamp) { self.clock = clock }

  /// Counts `count` of them. `detail` is kept of the last one only, cut to 200 bytes.
  public func count(
    _ kind: TallyKind, app: AppID, client: String, reason: String, detail: String = "", by count: Int = 1
  ) {
    var name = Name(app: app, client: client, kind: kind, reason: reason)
    entries.withLock { entries in
      // Clients call themselves what they like.
      if entries.count >= Self.limit, entries[name] == nil {
        name = Name(app: app, client: Self.others, kind: kind, reason: reason)
      }
      entries[name, default: Entry(count: 0, detail: "")].count += count
      if !detail.isEmpty { entries[name]?.detail = String(decoding: detail.utf8.prefix(200), as: UTF8.self) }
    }
  }

  /// Everything counted since the last call, as records.
  public func drain() -> [PendingRecords] {
    let taken = entries.withLock { entries in
      defer { entries = [:] }
      return entries
    }
    let now = clock()
    return taken.map { name, entry in
      let tally = RecordTally(
        kind: name.kind.rawValue, client: name.client, reason: name.reason, detail: entry.detail, count: entry.count)
      var records = LengthDelimitedRecords()
      records.append(tally, RecordHeader(app: name.app, received: now))
      return PendingRecords(app: name.app, bytes: records.bytes(), count: 1, receipt: nil, received: now)
    }
  }
}
