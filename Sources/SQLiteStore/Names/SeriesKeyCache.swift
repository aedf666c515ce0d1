import Core
import GRDB
import Storage

/// The keys of the series of a batch's cells. Most cells list the same series in the same order, so a series usually has
/// the key at the same position of the preceding cell, which is found without hashing its names.
struct SeriesKeyCache {
  private var app: AppID?
  /// Nil at positions with names that wait for admission: the registry counts each of their uses.
  private var known: [Known?] = []

  private struct Known {
    let metric: MetricReference
    let label: String
    let key: SeriesKey
    /// The uses of its names that the registry has not counted yet.
    var uses = 0
  }

  /// The key of a cell's series at `position`. Names that are new are inserted, as `NameRegistry.id` does.
  mutating func key(
    at position: Int, _ metric: MetricReference, _ label: String, app: AppID, _ registry: inout NameRegistry,
    _ database: Database
  ) throws -> SeriesKey {
    if case .known(let number) = metric, label.isEmpty { return SeriesKey(metric: Int64(number), label: 0) }
    if app != self.app {
      finish(&registry)
      self.app = app
    }
    if position < known.count, let found = known[position], found.metric == metric, found.label == label {
      known[position]?.uses += 1
      return found.key
    }
    let metricID = try registry.metric(metric, app: app, in: database)
    let labelID = try registry.label(label, metric: metricID, app: app, in: database)
    let key = SeriesKey(metric: metricID, label: labelID)
    while known.count <= position { known.append(nil) }
    if let replaced = known[position] { Self.count(replaced, &registry) }
    let isAdmitted = registry.isAdmitted(metric, app: app) && registry.isAdmitted(label, of: metricID, app: app)
    known[position] = isAdmitted ? Known(metric: metric, label: label, key: key) : nil
    return key
  }

  /// Counts the uses that are not counted yet, and forgets all keys. Call it before names are admitted or retired.
  mutating func finish(_ registry: inout NameRegistry) {
    for case .some(let series) in known { Self.count(series, &registry) }
    known.removeAll(keepingCapacity: true)
  }

  private static func count(_ series: Known, _ registry: inout NameRegistry) {
    guard series.uses > 0 else { return }
    if case .custom = series.metric {
      registry.uses.add(Double(series.uses), to: NameID(kind: .metric, id: series.key.metric))
    }
    if !series.label.isEmpty {
      registry.uses.add(Double(series.uses), to: NameID(kind: .label, id: series.key.label))
    }
  }
}
