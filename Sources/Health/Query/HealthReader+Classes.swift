import Statistics
import Storage
import Telemetry

extension HealthReader {
  /// Adds to each series its values by release or, where the slice has one release only, by device class. The
  /// correlation of one phone's values is measured within these: otherwise a release that is slower than the one before
  /// would be taken for differences between phones, and widen every interval of a window that holds both.
  ///
  /// For slices of a system, device or class nothing is added, because their values are not stored by release.
  func withClasses(_ series: [Series], _ scope: Scope) throws -> [Series] {
    let slice = scope.slice
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.label == nil else { return series }
    let names = series.filter(\.hasLikeness).map(\.metric.name)
    guard !names.isEmpty else { return series }
    let releases = scope.inventory.releases.count { $0.environment == slice.environment }
    let dimension: Dimension = slice.release == nil && releases > 1 ? .release : .deviceClass
    var classes: [ClassKey: [String: Histogram]] = [:]
    let query = RowQuery(
      app: scope.app, slice: slice, window: scope.window, metrics: names, dimension: dimension, bins: .days)
    try store.forEachRow(of: query) { row in
      guard case .distribution(let histogram) = row.aggregate else { return }
      classes[ClassKey(metric: row.metric, source: row.source), default: [:]][
        row.member, default: Histogram(scheme: histogram.scheme)
      ].merge(histogram)
    }
    return series.map { own in
      guard own.label.isEmpty, let parts = classes[ClassKey(metric: own.metric, source: own.source)], parts.count > 1
      else { return own }
      var copy = own
      // In order: sums of doubles depend on it.
      copy.classes = parts.sorted { $0.key < $1.key }.map(\.value)
      return copy
    }
  }

  private struct ClassKey: Hashable {
    let metric: MetricReference
    let source: Source
  }
}

extension Series {
  /// Whether enough payloads of the series hold several values, so that they show how alike the values of one device
  /// are.
  fileprivate var hasLikeness: Bool {
    var (values, payloads) = (0, 0)
    for case .distribution(let histogram) in parts {
      values = values.saturatingAdd(histogram.count)
      payloads = payloads.saturatingAdd(histogram.moments.clusters)
    }
    return payloads >= DesignEffect.fewestClusters && payloads < values
  }
}
