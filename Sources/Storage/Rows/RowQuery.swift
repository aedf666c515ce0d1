/// A selection of rows by app, slice, window and metric.
public struct RowQuery: Sendable {
  public var app: AppID
  public var slice: Slice
  public var window: Window
  /// The names of the metrics to read; nil for all.
  public var metrics: [String]?
  /// Whether counters other than sessions and users may be omitted.
  public var leavesOutTotals = false
  /// The dimension to break rows down by; nil for the slice as a whole.
  public var dimension: Dimension?
  /// The name of the attribute whose values are the members of the dimension `attribute`.
  public var attribute: String?
  /// Whether rows are returned per label rather than for the sum over labels.
  public var byLabel: Bool
  /// The time resolution of the rows to return.
  public var bins: Bins

  /// The time resolution of rows.
  public enum Bins: Sendable {
    /// The finest resolution that is stored.
    case finest
    /// One bin per day, read from fewer rows if the day's sum is stored. Other days are returned in finer bins with the
    /// same total.
    case days
  }

  public init(
    app: AppID, slice: Slice, window: Window, metrics: [String]? = nil, dimension: Dimension? = nil,
    byLabel: Bool = false, bins: Bins = .finest
  ) {
    self.app = app
    self.slice = slice
    self.window = window
    self.metrics = metrics
    self.dimension = dimension
    self.byLabel = byLabel
    self.bins = bins
  }
}
