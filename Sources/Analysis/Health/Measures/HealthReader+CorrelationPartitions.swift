import Core
import Statistics
import Storage

extension HealthReader {
  /// Adds to each series its values by release (if the slice has several) and by device class. The correlation of one
  /// phone's values is measured within these partitions. Otherwise a slower release or older phones would look like
  /// differences between individual phones and widen every interval.
  ///
  /// Slices of an OS version, device or class get no partitions, because their values are not stored by release.
  func withPartitions(_ series: [Series], _ scope: Scope) throws -> [Series] {
    let slice = scope.slice
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.label == nil else { return series }
    let names = series.filter(\.hasLikeness).map(\.metric.name)
    guard !names.isEmpty else { return series }
    let releases = scope.inventory.releases.count {
      $0.environment == slice.environment && $0.firstDay <= scope.window.to && $0.lastDay >= scope.window.from
    }
    let members: [(dimension: Dimension, count: Int)] = [
      (.release, slice.release == nil && releases > 1 ? releases : 0), (.deviceClass, DeviceClass.all.count),
    ]
    let dimensions = members.filter { $0.count > 0 && $0.count * scope.window.days <= Self.mostRows }
      .map(\.dimension)
    let partitions = try dimensions.compactMap { try partition(scope, names, by: $0) }
    return series.map { own in
      guard own.label.isEmpty else { return own }
      let key = PartitionKey(metric: own.metric, source: own.source)
      let found = partitions.compactMap { $0[key] }.filter { $0.count > 1 }
      guard !found.isEmpty else { return own }
      var copy = own
      copy.partitions = found
      return copy
    }
  }

  /// Adds to the series of each release the partitions that `withPartitions` adds on the release's page, so that a
  /// release has the same interval there and in a table of releases. Only the newest releases, which are shown, get
  /// partitions.
  func withPartitionsOfReleases(_ series: [Series], _ scope: Scope) throws -> [Series] {
    guard series.contains(where: \.hasLikeness) else { return series }
    let members = Dictionary(grouping: series, by: \.member)
    let newest = members.keys.sorted { VersionOrder.precedes($1, $0) }.prefix(Self.mostReleases)
    let firstDays = Dictionary(
      scope.knownReleases.map { ($0.release.title, $0.firstDay) }, uniquingKeysWith: min)
    return try members.sorted { $0.key < $1.key }.flatMap { member, own in
      guard newest.contains(member), scope.slice.release == nil else { return own }
      var slice = scope.slice
      slice.release = member
      // The window is the release's lifetime, because the limit of rows per partition counts the days of the window.
      let from = max(scope.window.from, min(firstDays[member] ?? scope.window.from, scope.window.to))
      return try withPartitions(own, scope.with(window: Window(from: from, to: scope.window.to), slice: slice))
    }
  }

  /// Does the same for values of an attribute, those with the most data first.
  func withPartitionsOfValues(_ series: [Series], _ scope: Scope) throws -> [Series] {
    guard let name = scope.attribute, series.contains(where: \.hasLikeness) else { return series }
    // Values of two attributes together have no partitions of their own.
    if let filter = scope.slice.attribute, filter.name != name { return series }
    let members = Dictionary(grouping: series, by: \.member)
    let weights = members.mapValues { $0.map(\.weight).max() ?? 0 }
    let most = weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostReleases).map(\.key)
    return try members.sorted { $0.key < $1.key }.flatMap { member, own in
      guard most.contains(member) else { return own }
      var slice = scope.slice
      slice.attribute = AttributeFilter(name: name, value: member)
      return try withPartitions(own, scope.with(slice: slice))
    }
  }

  /// The maximum number of releases whose partitions are read, each by a query.
  private static let mostReleases = 12

  /// The maximum number of rows of a metric that are read for one partition. Beyond it, such as in windows of many
  /// months or with fake releases, the partition is left out, which makes intervals wider but never narrower. The limit
  /// is per metric, so a number has the same interval on every page.
  private static let mostRows = 2_000

  /// Reads one partition; nil if its rows have expired. Rows of an attribute value in a release by device class are
  /// stored for 35 days.
  private func partition(
    _ scope: Scope, _ names: [String], by dimension: Dimension
  ) throws -> [PartitionKey: [IntraclassCorrelationSums]]? {
    var sums: [PartitionKey: [String: IntraclassCorrelationSums]] = [:]
    let query = RowQuery(
      app: scope.app, slice: scope.slice, window: scope.window, metrics: names, dimension: dimension, bins: .days)
    let rows: [CorrelationRow]
    if scope.slice.attribute == nil {
      rows = try store.likeness(query)
    } else {
      guard let kept = try KeptWindow({ try store.likeness(query) }).whole else { return nil }
      rows = kept
    }
    for row in rows {
      sums[PartitionKey(metric: row.metric, source: row.source), default: [:]][
        row.member, default: IntraclassCorrelationSums()
      ]
      .merge(row.sums)
    }
    // Sorted, because sums of doubles depend on the order.
    return sums.mapValues { members in members.sorted { $0.key < $1.key }.map(\.value) }
  }

  private struct PartitionKey: Hashable {
    let metric: MetricReference
    let source: Source
  }
}

extension Series {
  /// Whether enough payloads of the series hold several values to estimate the correlation of one device's values.
  fileprivate var hasLikeness: Bool {
    var (values, payloads) = (0, 0)
    forEachDay { _, aggregate in
      guard case .distribution(let histogram) = aggregate else { return }
      values = values.saturatingAdd(histogram.count)
      payloads = payloads.saturatingAdd(histogram.moments.clusters)
    }
    return payloads >= DesignEffect.fewestClusters && payloads < values
  }
}
