public import Core
public import Storage
import Synchronization

/// Counts refused and repeated requests until the journal's next transaction. A flood of bad requests becomes at most
/// one record per second for each combination of app, client, kind and reason. There are at most about a thousand
/// combinations.
public final class OutcomeCounter: Sendable {
  private let entries = Mutex<[Key: Entry]>([:])
  private let totals = Mutex<[Total: Int]>([:])
  private let clock: @Sendable () -> Timestamp

  /// What is counted since the process started, without clients.
  public struct Total: Hashable, Sendable {
    public let app: AppID
    public let kind: TallyKind
    public let reason: String
  }

  /// The counts since the process started. They only grow.
  var sinceStart: [Total: Int] { totals.withLock { $0 } }

  private struct Key: Hashable {
    let app: AppID
    let client: String
    let kind: TallyKind
    let reason: String
  }

  private struct Entry {
    var count: Int
    var detail: String
  }

  /// The most combinations between two transactions. Beyond it, further clients are counted under one name.
  private static let limit = 1000
  /// The most combinations of app, kind and reason that are counted separately since the start.
  private static let totalLimit = 10_000
  private static let others = "(other)"

  /// Creates a counter. `clock` returns the time written to its records.
  public init(clock: @escaping @Sendable () -> Timestamp) { self.clock = clock }

  /// Adds to the count of an outcome. Only the last `detail` is kept, cut to 200 bytes.
  func count(
    _ kind: TallyKind, app: AppID, client: String, reason: String, detail: String = "", by count: Int = 1
  ) {
    var key = Key(app: app, client: client, kind: kind, reason: reason)
    entries.withLock { entries in
      // A client may send any User-Agent, so the number of names is bounded.
      if entries.count >= Self.limit, entries[key] == nil {
        key = Key(app: app, client: Self.others, kind: kind, reason: reason)
      }
      var entry = entries[key] ?? Entry(count: 0, detail: "")
      entry.count = entry.count.saturatingAdd(count)
      if !detail.isEmpty { entry.detail = String(decoding: detail.utf8.prefix(200), as: UTF8.self) }
      entries[key] = entry
    }
    totals.withLock { totals in
      var total = Total(app: app, kind: kind, reason: reason)
      if totals.count >= Self.totalLimit, totals[total] == nil {
        total = Total(app: app, kind: kind, reason: Self.others)
      }
      totals[total] = (totals[total] ?? 0).saturatingAdd(count)
    }
  }

  /// Returns everything counted since the last call, as records.
  public func drain() -> [PendingRecords] {
    let taken = entries.withLock { entries in
      defer { entries = [:] }
      return entries
    }
    let now = clock()
    return taken.map { key, entry in
      let tally = TallyRecord(
        kind: key.kind.rawValue, client: key.client, reason: key.reason, detail: entry.detail, count: entry.count)
      var records = LengthDelimitedRecords()
      records.append(tally, RecordHeader(app: key.app, received: now))
      return PendingRecords(app: key.app, bytes: records.bytes(), count: 1, receipt: nil, received: now)
    }
  }
}
