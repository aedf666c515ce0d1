internal import Core

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
    /// One bin for the whole window, or several with the same total if that is no slower.
    case window
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

extension RowQuery {
  /// The kind of rows that the query reads: the coarsest with its filters and its dimension. Rows by label exist only for
  /// cells and for the total, and only cells have values of two attributes.
  public var sliceKind: SliceKind {
    var named: Set<Dimension> = []
    if slice.release != nil { named.insert(.release) }
    if slice.os != nil { named.insert(.os) }
    if slice.device != nil { named.insert(.device) }
    if slice.deviceClass != nil { named.insert(.deviceClass) }
    if slice.attribute != nil { named.insert(.attribute) }
    if let dimension { named.insert(dimension) }
    if dimension == .attribute, let filter = slice.attribute, let attribute, filter.name != attribute { return .cell }
    let isLabelled = slice.label != nil || byLabel
    return isLabelled && !named.isEmpty ? .cell : Self.kinds[named] ?? .cell
  }

  private static let kinds: [Set<Dimension>: SliceKind] = [
    []: .all, [.release]: .release, [.os]: .system, [.device]: .device, [.deviceClass]: .deviceClass,
    [.release, .deviceClass]: .releaseAndClass, [.attribute]: .attribute,
    [.release, .attribute]: .releaseAndAttribute, [.attribute, .deviceClass]: .attributeAndClass,
  ]
}
