public import Core
public import Storage
import Synchronization

/// The limits of weighted rows and of bytes that each app may write per day. They limit how much a stranger with an
/// app's key can store.
///
/// Bytes are the stored bytes of the journal plus the growth of the store. Because the digest may be behind, records
/// that wait in the journal count with the expected growth of the store, estimated from the app's last flushes.
///
/// Days are UTC days. The numbers are in memory; `used` and `restore` preserve them across a restart.
public final class WriteQuota: Sendable {
  private struct State {
    var day: CalendarDay?
    var used: [AppID: DailyQuotaUsage] = [:]
    var backlogs: [AppID: Backlog] = [:]
  }

  fileprivate struct Backlog {
    /// The encoded bytes of records that are in the journal but not digested.
    var waiting = 0
    /// The growth of the store for each byte of these records.
    var growth = WriteQuota.unknownGrowth
  }

  private let perDay: Int
  private let bytesPerDay: Int
  private let state = Mutex(State())

  /// The expected growth per byte of records before an app's first flush.
  private static let unknownGrowth = 30.0
  /// The maximum expected growth. Without it, a small flush could cause a very high estimate.
  private static let mostGrowth = 100.0

  /// The limits of each app: `perDay` in weighted rows, `bytesPerDay` in bytes.
  public init(perDay: Int, bytesPerDay: Int = .max) {
    self.perDay = max(1, perDay)
    self.bytesPerDay = max(1, bytesPerDay)
  }

  /// The limit that an app has reached, and the seconds after which it may try again, at most 3,600; nil if it may
  /// write now.
  func spent(_ app: AppID, at now: Timestamp) -> (limit: IngestLimit, seconds: Int)? {
    let day: Int64 = 86_400_000
    let left = (day - (now.milliseconds % day + day) % day) / 1000
    let untilTomorrow = Int(min(3600, max(1, left)))
    return state.withLock { state in
      Self.turn(&state, to: now.day())
      guard let used = state.used[app] else { return nil }
      if used.rows >= perDay { return (.rows, untilTomorrow) }
      if used.bytes >= bytesPerDay { return (.bytes, untilTomorrow) }
      // The next flush replaces the estimate with the real growth.
      let expected = state.backlogs[app]?.expected ?? 0
      return used.bytes >= bytesPerDay - min(bytesPerDay, expected) ? (.bytes, min(10, untilTomorrow)) : nil
    }
  }

  /// Adds the weighted rows that an app has written.
  func charge(_ rows: Int, to app: AppID, at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      Self.add(rows, to: &state.used[app, default: DailyQuotaUsage()].rows)
    }
  }

  /// Adds records that are in the journal. `waits`: whether this process also stores their rows and then calls
  /// `noteGrowth`.
  public func noteJournaled(_ bytes: [AppID: JournaledBytes], waits: Bool, at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      for (app, bytes) in bytes {
        Self.add(bytes.stored, to: &state.used[app, default: DailyQuotaUsage()].bytes)
        if waits { Self.add(bytes.encoded, to: &state.backlogs[app, default: Backlog()].waiting) }
      }
    }
  }

  /// Adds the growth of the store that records of the journal caused.
  public func noteGrowth(_ growth: [AppID: (records: Int, bytes: Int)], at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      for (app, growth) in growth {
        Self.add(growth.bytes, to: &state.used[app, default: DailyQuotaUsage()].bytes)
        state.backlogs[app, default: Backlog()].note(growth.records, growth.bytes, most: Self.mostGrowth)
      }
    }
  }

  /// Whether an app has written more than half of all bytes on the day of `now`, and other apps have also written.
  func hasWrittenMost(_ app: AppID, at now: Timestamp) -> Bool {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      let own = state.used[app]?.bytes ?? 0
      let others = state.used.reduce(0.0) { $0 + ($1.key == app ? 0 : Double($1.value.bytes)) }
      return others > 0 && Double(own) > others
    }
  }

  /// The amount that each app has written on the day of `now`.
  public func used(at now: Timestamp) -> [AppID: DailyQuotaUsage] {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      return state.used
    }
  }

  /// Sets the numbers of the day of `now` that were stored before a restart.
  public func restore(_ used: [AppID: DailyQuotaUsage], at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      state.used.merge(used) {
        DailyQuotaUsage(rows: max($0.rows, $1.rows), bytes: max($0.bytes, $1.bytes))
      }
    }
  }

  private static func add(_ amount: Int, to sum: inout Int) { sum = min(1 << 60, sum) + min(1 << 40, max(0, amount)) }

  private static func turn(_ state: inout State, to day: CalendarDay) {
    guard state.day != day else { return }
    // The known growth of an app stays valid on a new day. A backlog that was never reported as stored, because another
    // process stored it, is reset here.
    state = State(day: day, backlogs: state.backlogs.mapValues { Backlog(growth: $0.growth) })
  }
}

extension WriteQuota.Backlog {
  /// The expected growth of the store from waiting records, in bytes.
  fileprivate var expected: Int { Int(min(Double(waiting) * growth, 1e18)) }

  fileprivate mutating func note(_ records: Int, _ bytes: Int, most: Double) {
    waiting = max(0, waiting - max(0, records))
    guard records > 0 else { return }
    // Increase at once, decrease gradually.
    growth = max(min(Double(max(0, bytes)) / Double(records), most), growth * 0.8)
  }
}
