public import Core

/// The amount of data that an app wrote on one day.
public struct DailyQuotaUsage: Sendable, Equatable {
  /// Rows weighted by `RowWeight`.
  public var rows = 0
  /// Bytes in the journal and the store.
  public var bytes = 0

  public init(rows: Int = 0, bytes: Int = 0) {
    self.rows = rows
    self.bytes = bytes
  }
}

/// The store of the amounts that each app wrote per day, which survives restarts.
public protocol WrittenAmounts: Sendable {
  /// The amounts written on a day, by app.
  func written(on day: CalendarDay) throws -> [AppID: DailyQuotaUsage]
  /// Stores the amounts written on a day and deletes those of earlier days.
  func remember(_ written: [AppID: DailyQuotaUsage], on day: CalendarDay) throws
}
