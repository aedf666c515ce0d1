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

/// A filter by the OS: one version, `iOS 18.6.1`, or all versions that begin alike, `iOS 18.*`.
public struct SystemFilter: Hashable, Sendable {
  /// The filter as text.
  public let text: String

  public init(_ text: String) { self.text = text }

  /// The beginning that all selected versions share, without the point after it: `iOS 18`. Nil for one version.
  public var prefix: String? { text.hasSuffix(Self.any) ? String(text.dropLast(Self.any.count)) : nil }

  public func selects(_ name: String) -> Bool {
    prefix.map { name == $0 || name.hasPrefix($0 + ".") } ?? (name == text)
  }

  /// The filters that select a version and others of the same minor or major version, narrowest first: `iOS 18.6.*` and
  /// `iOS 18.*` for `iOS 18.6.1`.
  public static func prefixes(of name: String) -> [String] {
    guard let space = name.lastIndex(of: " ") else { return [] }
    let parts = name[name.index(after: space)...].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCII) && $0.allSatisfy(\.isNumber) }) else { return [] }
    let system = name[...space]
    return [2, 1].filter { $0 <= parts.count }.map { system + parts.prefix($0).joined(separator: ".") + any }
  }

  private static let any = ".*"
}
