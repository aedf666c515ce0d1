/// What Plumb knows about the metrics of XCTest: their units, and which metrics of the field they should foretell.
///
/// An identifier is `com.apple.dt.XCTMetric_KIND-SUBJECT.QUANTITY`. The subject is a signpost, a bundle identifier or an
/// executable, and may be missing.
public enum XCTestMetricMapping {
  /// The metric of the catalogue that measures the same on users' devices; nil if there is none.
  public static func counterpart(of identifier: String, unit: String) -> String? {
    guard identifier.hasPrefix(prefix) else { return nil }
    let rest = identifier.dropFirst(prefix.count)
    let found = counterparts.first { rest.hasPrefix($0.kind) && rest.hasSuffix($0.quantity) }?.metric
    return found.flatMap { measures($0, in: unit) ? $0 : nil }
  }

  /// Whether a unit of XCTest measures the quantity of a metric of the catalogue that is a distribution.
  public static func measures(_ metric: String, in unit: String) -> Bool {
    guard let entry = Catalogue.metric(named: metric), entry.kind == .distribution else { return false }
    return InputUnit(xcTest: unit)?.factor(into: entry.unit) != nil
  }

  private static let prefix = "com.apple.dt.XCTMetric_"

  /// The first match counts. The spelling of the hitch ratio of signposts differs between Xcode's versions.
  private static let counterparts: [(kind: String, quantity: String, metric: String)] = [
    ("ApplicationLaunch", ".duration", "launch.first_draw"),
    ("OSSignpost-Scroll", ".hitch.time.ratio", "ui.scroll_hitch_ratio"),
    ("OSSignpost-Scroll", ".hitchTimeRatio", "ui.scroll_hitch_ratio"),
    ("OSSignpost", ".hitch.time.ratio", "ui.hitch_ratio"), ("OSSignpost", ".hitchTimeRatio", "ui.hitch_ratio"),
    ("Hitch", ".time.ratio", "ui.hitch_ratio"), ("Memory", ".physical_peak", "memory.peak"),
    ("Disk", ".logical_writes", "disk.writes"),
  ]
}

extension InputUnit {
  /// A unit as XCTest writes it; nil for units that no metric of the catalogue has, such as `kC` (thousand cycles).
  public init?(xcTest symbol: String) { self.init(symbol: symbol == "ms per s" ? "ms/s" : symbol) }
}
