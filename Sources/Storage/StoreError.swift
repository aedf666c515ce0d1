public import Core

/// The reasons why a store refuses a batch or a query.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  case notContiguous(expected: Int64, offered: Int64)
  /// The window starts before the oldest stored day. Combinations of filters are stored for 35 days only.
  case windowTooOld(oldest: CalendarDay)
  case damaged(String)
  /// The rows are on another server and cannot be read now, with the reason.
  case unavailable(String)

  public var description: String {
    switch self {
    case .notContiguous(let expected, let offered):
      "the batch starts at record \(offered), but the store expects \(expected)"
    case .windowTooOld(let oldest):
      "numbers for this selection are kept from \(oldest.iso) on (by default 35 days for combined filters, 400 days "
        + "for at most one of release, OS version, device and device class); choose a window that starts on that day or "
        + "later"
    case .damaged(let detail): "damaged row: \(detail)"
    case .unavailable(let reason): "numbers cannot be read now: \(reason)"
    }
  }
}
