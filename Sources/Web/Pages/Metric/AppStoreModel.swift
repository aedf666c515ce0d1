import Analysis
import Core

/// One metric's numbers from App Store Connect, and Plumb's numbers of the same versions.
public struct AppStoreModel: Sendable {
  /// The numbers, in the order in which they were imported.
  let figures: [AppStoreFigure]
  /// Apple's goals, insights and signatures of the metric.
  let notes: AppStorePerformance
  /// The differences between Apple's percentiles and those of the page.
  var gaps: [AppStoreGapDecomposition]
  /// Plumb's numbers in the page's days, of all devices, by version.
  let measured: [String: MetricReport]
  /// The versions that are shown, the oldest first.
  let versions: [String]
  /// The device groups in Apple's order, starting with all iPhones and the other groups.
  let devices: [Device]
  /// Apple's percentiles, in ascending order.
  let percentiles: [String]
  private let byKey: [AppStoreFigure.Key: AppStoreFigure]

  /// A device group of one platform.
  struct Device {
    var platform: String
    var id: String
    /// `All iPhones`; with the platform if there are several platforms.
    var name: String
  }

  /// The maximum number of versions shown: Apple itself compares one with the four before it.
  private static let mostVersions = 8
  /// The maximum number of percentiles shown: Apple has two.
  private static let mostPercentiles = 4

  init(
    figures: [AppStoreFigure] = [], notes: AppStorePerformance = AppStorePerformance(),
    measured: [String: MetricReport] = [:],
    gaps: [AppStoreGapDecomposition] = []
  ) {
    self.figures = figures
    self.notes = notes
    self.gaps = gaps
    self.measured = measured
    versions = Self.versions(figures)
    devices = Self.devices(figures)
    percentiles = Array(Set(figures.map(\.key.percentile)).sorted().prefix(Self.mostPercentiles))
    byKey = Dictionary(figures.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
  }

  static func versions(_ figures: [AppStoreFigure]) -> [String] {
    Set(figures.map(\.key.version)).sorted { VersionOrder.precedes($0, $1) }.suffix(mostVersions)
  }

  private static func devices(_ figures: [AppStoreFigure]) -> [Device] {
    let hasSeveral = Set(figures.map(\.key.platform)).count > 1
    var seen: Set<[String]> = []
    let all = figures.filter { seen.insert([$0.key.platform, $0.key.device]).inserted }
      .map { figure in
        Device(
          platform: figure.key.platform, id: figure.key.device,
          name: figure.deviceName + (hasSeveral ? ", \(figure.key.platform)" : ""))
      }
    let phones = all.filter { $0.id == "all_iphones" }
    let groups = all.filter { $0.id.hasPrefix("all_") && $0.id != "all_iphones" }
    return phones + groups + all.filter { !$0.id.hasPrefix("all_") }
  }

  /// The number of a device group and version; nil if Apple has too few devices.
  func figure(_ device: Device, _ percentile: String, _ version: String) -> AppStoreFigure? {
    guard let first = figures.first?.key else { return nil }
    return byKey[
      .init(
        platform: device.platform, category: first.category, metric: first.metric, device: device.id,
        percentile: percentile, version: version)]
  }
}

extension AppStoreFigure {
  /// The number in another unit, with Apple's margin as its interval.
  func estimate(times factor: Double) -> Estimate {
    Estimate(
      value: value * factor, low: errorMargin.map { max(0, value - $0) * factor },
      high: errorMargin.map { (value + $0) * factor })
  }

  /// The shares by subsystem: `Audio 12 %, Networking 30 %`.
  var partsText: String {
    parts.map { "\($0.label) \(Decimal.significant($0.share))\u{A0}%" }.joined(separator: ", ")
  }

  /// The number in Apple's unit: `2,014 ms ± 30 ms`.
  var text: String {
    ([value] + [errorMargin].compactMap { $0 }).map { Decimal.significant($0) + (unit.isEmpty ? "" : "\u{A0}\(unit)") }
      .joined(separator: " ± ")
  }
}
