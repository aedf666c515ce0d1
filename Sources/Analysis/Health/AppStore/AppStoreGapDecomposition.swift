package import Core
import Storage

/// The difference between Apple's number of a metric and Plumb's, in parts.
///
/// Apple's number is about the lifetime of a version, on one kind of device. Plumb's number is about the days, releases
/// and devices of a page. The parts come from Plumb's own values: each is how much the number moves if Plumb takes
/// Apple's days, version or devices, averaged over all orders in which the three can be taken (L. Shapley, "A value for
/// n-person games", 1953). What is left is the people who share analytics with developers, and how the two measure.
package struct AppStoreGapDecomposition: Sendable, Equatable {
  /// Apple's percentile in percent: 50 or 90.
  package var rank: Int
  package var version: String
  /// Apple's name of the devices: `All iPhones`.
  package var devices: String
  /// The unit of all numbers: the metric's.
  package var unit: MetricUnit
  package var apple: Estimate
  package var measured: Estimate
  /// Apple's number minus Plumb's, with its 95 % interval.
  package var total: Estimate
  /// The parts, whose sum is `total` minus `rest`. Empty if the rows for one of them are no longer stored.
  package var parts: [Part]
  /// What the parts do not explain, with its 95 % interval.
  package var rest: Estimate

  package struct Part: Sendable, Equatable {
    package enum Cause: String, Sendable, CaseIterable {
      case days, versions, devices
    }

    package var cause: Cause
    package var value: Double
  }

  /// The difference of two independent numbers with their intervals (G. Zou, A. Donner, "Construction of confidence
  /// limits about effect measures", 2008). A side without an interval counts as exact.
  static func difference(_ left: Estimate, _ right: Estimate) -> Estimate {
    guard let a = left.value, let b = right.value else { return .unknown }
    func distance(_ first: Double, _ second: Double) -> Double { (first * first + second * second).squareRoot() }
    return Estimate(
      value: a - b, low: a - b - distance(a - (left.low ?? a), (right.high ?? b) - b),
      high: a - b + distance((left.high ?? a) - a, b - (right.low ?? b)))
  }

  /// How much each of `count` changes contributes to their common effect, averaged over their orders. `value`: the
  /// number after the changes in a set, whose bit i is change i. Nil if one of the numbers is unknown.
  static func contributions(_ count: Int, _ value: (Int) throws -> Double?) rethrows -> [Double]? {
    var numbers: [Double] = []
    for set in 0..<(1 << count) {
      guard let number = try value(set) else { return nil }
      numbers.append(number)
    }
    func factorial(_ n: Int) -> Double { n < 2 ? 1 : Double(n) * factorial(n - 1) }
    return (0..<count).map { change in
      (0..<(1 << count)).reduce(0) { sum, set in
        guard set & (1 << change) == 0 else { return sum }
        let size = set.nonzeroBitCount
        let orders = factorial(size) * factorial(count - size - 1) / factorial(count)
        return sum + orders * (numbers[set | (1 << change)] - numbers[set])
      }
    }
  }
}

extension HealthReader {
  /// The differences between Apple's percentiles of a distribution and those of a scope, the lower percentile first.
  ///
  /// Apple's figures are those of the release of the scope; without one, or if Apple has none of it, of the newest
  /// version of which both have numbers. Empty for a scope that is filtered by more than a release, because Apple's
  /// figures cannot be filtered, and for metrics that are a single number.
  package func appleGaps(_ figures: [AppStoreFigure], of name: String, _ scope: Scope) throws
    -> [AppStoreGapDecomposition]
  {
    let slice = scope.slice
    guard slice == Slice(environment: Scope.production, release: slice.release),
      let metric = Catalogue.metric(named: name),
      metric.kind == .distribution, let device = Self.devices(figures),
      let version = try version(figures, device, scope)
    else { return [] }
    return try [50, 90].compactMap { rank in
      let figure = figures.last {
        $0.key.version == version && $0.key.percentile == "p\(rank)" && $0.key.device == device
      }
      guard let figure, let factor = figure.factor(into: metric.unit) else { return nil }
      let apple = Estimate(
        value: figure.value * factor, low: figure.errorMargin.map { max(0, figure.value - $0) * factor },
        high: figure.errorMargin.map { (figure.value + $0) * factor })
      return try gap(figure, apple, rank, metric, scope)
    }
  }

  private func gap(
    _ figure: AppStoreFigure, _ apple: Estimate, _ rank: Int, _ metric: Metric, _ scope: Scope
  ) throws -> AppStoreGapDecomposition? {
    var life = life(of: try builds(of: figure.key.version, scope))
    // Rows by release and by device class are stored for 400 days.
    life = Window(from: max(life.from, life.to - 399), to: life.to)
    var slice = scope.slice
    slice.release = figure.key.version
    let isOfApple = Self.classes(ofApple: figure.key.device)
    func estimate(_ changes: Set<AppStoreGapDecomposition.Part.Cause>) throws -> Estimate {
      let own = scope.with(
        window: changes.contains(.days) ? life : scope.window, slice: changes.contains(.versions) ? slice : scope.slice)
      let names = storedNames(of: metric.name)
      let found = try KeptWindow { () -> [Series] in
        guard changes.contains(.devices) else { return try series(own, metrics: names) }
        return try set(own, metrics: names, dimension: .deviceClass, isWhole: true) { isOfApple($0.member) }.chosen
      }.whole
      return found.flatMap { Measure.named(metric.name, in: $0)?.measure }?
        .estimate(.percentile(rank), tail: Self.shownTail) ?? .unknown
    }
    let measured = try estimate([])
    guard measured.value != nil else { return nil }
    var gap = AppStoreGapDecomposition(
      rank: rank, version: figure.key.version, devices: figure.deviceName, unit: metric.unit, apple: apple,
      measured: measured, total: AppStoreGapDecomposition.difference(apple, measured), parts: [], rest: .unknown)
    let causes = AppStoreGapDecomposition.Part.Cause.allCases
    let parts = try AppStoreGapDecomposition.contributions(causes.count) { set in
      try estimate(Set(causes.indices.filter { set & (1 << $0) != 0 }.map { causes[$0] })).value
    }
    guard let parts else {
      gap.rest = gap.total
      return gap
    }
    gap.parts = zip(causes, parts).map { AppStoreGapDecomposition.Part(cause: $0, value: $1) }
    gap.rest = AppStoreGapDecomposition.difference(apple, try estimate(Set(causes)))
    return gap
  }

  /// Apple's name of the devices that are compared: all iPhones, otherwise the first group of all devices of a kind.
  private static func devices(_ figures: [AppStoreFigure]) -> String? {
    let groups = figures.map(\.key.device).filter { $0.hasPrefix("all_") }
    return groups.first { $0 == "all_iphones" } ?? groups.min()
  }

  /// Whether a device class belongs to a group of Apple's: `iPhone 14` to `all_iphones`.
  private static func classes(ofApple group: String) -> (String) -> Bool {
    let family = group.dropFirst("all_".count).dropLast().lowercased()
    return { $0.lowercased().hasPrefix(family) }
  }

  private func version(_ figures: [AppStoreFigure], _ device: String, _ scope: Scope) throws -> String? {
    let known = Set(figures.filter { $0.key.device == device }.map(\.key.version))
    let own = Set(
      scope.inventory.releases.filter { $0.environment == scope.slice.environment }.map(\.release.version))
    if let shown = scope.slice.release {
      let named = scope.inventory.releases.first { $0.release.isCalled(shown) }?.release.version
      if let named, known.contains(named) { return named }
    }
    return known.intersection(own).max { VersionOrder.precedes($0, $1) }
  }
}

extension AppStoreGapDecomposition: APIObject {
  package static let fields = Fields<Self>(
    "AppStoreGap",
    "Apple's percentile minus Plumb's, in the metric's unit, and its parts: Apple's days, version and devices."
  ) {
    Field("percentile", { "p\($0.rank)" })
    Field("version", \.version)
    Field("devices", \.devices)
    Field("unit", \.unit)
    Field("apple", \.apple)
    Field("plumb", \.measured)
    Field("difference", \.total, "With its 95 % interval; Apple's margin of error counts as one.")
    Part.Cause.allCases.map { cause in
      Field(
        cause.rawValue, { gap in gap.parts.first { $0.cause == cause }?.value },
        "The part of the difference; null if its rows are no longer stored.")
    }
    Field("rest", \.rest, "What is left: the people who share analytics, and how both measure.")
  }
}
