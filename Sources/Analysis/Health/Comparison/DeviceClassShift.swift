/// A device class whose share of a metric's values differs between two releases.
struct DeviceClassShift: Sendable, Equatable {
  /// The name of the device class, such as `iPhone 15`.
  var name: String
  /// Its share of the older release's values, 0 to 1.
  var base: Double
  /// Its share of the newer release's values.
  var head: Double

  init(name: String, base: Double, head: Double) {
    self.name = name
    self.base = base
    self.head = head
  }

  /// The class whose shares differ most; nil if none differs by at least 5 points.
  init?(_ pair: SeriesPair) {
    let (ours, theirs) = (Self.shares(pair.base), Self.shares(pair.head))
    let shifts = Set(ours.keys).union(theirs.keys).sorted().map {
      DeviceClassShift(name: $0, base: ours[$0] ?? 0, head: theirs[$0] ?? 0)
    }
    guard let most = shifts.max(by: { $0.size < $1.size }), most.size >= Self.least else { return nil }
    self = most
  }

  private static let least = 0.05
  private var size: Double { (head - base).magnitude }

  private static func shares(_ group: SeriesGroup) -> [String: Double] {
    let weights = group.classes.mapValues { Double($0.first?.weight ?? 0) }
    let sum = weights.values.reduce(0, +)
    return sum > 0 ? weights.mapValues { $0 / sum } : [:]
  }
}
