public import Core

/// The result of reading a window: the complete value, or the first day from which rows are kept.
public enum KeptWindow<Value> {
  case whole(Value)
  /// The rows with these filters are kept from this day on.
  case from(CalendarDay)

  /// Reads a window. Rethrows every error except `StoreError.windowTooOld`.
  public init(_ read: () throws -> Value) throws {
    do {
      self = .whole(try read())
    } catch StoreError.windowTooOld(let oldest) {
      self = .from(oldest)
    }
  }

  /// The value of the complete window; nil if some of its rows have expired.
  public var whole: Value? { if case .whole(let value) = self { value } else { nil } }
}
