public import Core

/// The finest subdivision of an app's data. Each report belongs to one cell.
public struct CellKey: Hashable, Sendable {
  // The records of a batch share the names of their cells, because a batch may have a hundred thousand sessions.
  private let names: Names

  public var app: AppID { names.app }
  public var source: Source { names.source }
  public var environment: String { names.environment }
  public var release: Release { names.release }
  /// The OS name and version, such as `iOS 17.4.1`.
  public var os: String { names.os }
  /// The model identifier, such as `iPhone15,2`.
  public var model: String { names.model }
  /// The values of the app's attributes that were sent, sorted by name, at most one of each name.
  public var attributes: [AppAttribute] { names.attributes }

  /// The identity of the shared names. Copies of a key have the same identity; equal keys may have different ones.
  public var identity: ObjectIdentifier { ObjectIdentifier(names) }

  public init(
    app: AppID, source: Source, environment: String, release: Release, os: String, model: String,
    attributes: [AppAttribute] = []
  ) {
    names = Names(app, source, environment, release, os, model, attributes)
  }

  public static func == (left: CellKey, right: CellKey) -> Bool {
    left.names === right.names || left.names.isEqual(to: right.names)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(app)
    hasher.combine(source)
    hasher.combine(environment)
    hasher.combine(release)
    hasher.combine(os)
    hasher.combine(model)
    hasher.combine(attributes)
  }

  private final class Names: Sendable {
    let app: AppID
    let source: Source
    let environment: String
    let release: Release
    let os: String
    let model: String
    let attributes: [AppAttribute]

    init(
      _ app: AppID, _ source: Source, _ environment: String, _ release: Release, _ os: String, _ model: String,
      _ attributes: [AppAttribute]
    ) {
      (self.app, self.source, self.environment, self.release) = (app, source, environment, release)
      (self.os, self.model, self.attributes) = (os, model, attributes)
    }

    func isEqual(to other: Names) -> Bool {
      (app, source, environment, release, os, model)
        == (other.app, other.source, other.environment, other.release, other.os, other.model)
        && attributes == other.attributes
    }
  }
}

/// The changes of one cell's rows in one time bin.
public struct CellDelta: Sendable {
  public var key: CellKey
  public var bin: TimeBin
  public var series: CellSeries
  /// The latest time of receipt, from which the retention period is counted.
  public var received: Timestamp

  public init(key: CellKey, bin: TimeBin, series: CellSeries, received: Timestamp) {
    self.key = key
    self.bin = bin
    self.series = series
    self.received = received
  }

  public init(key: CellKey, bin: TimeBin, series: [SeriesDelta], received: Timestamp) {
    self.init(key: key, bin: bin, series: CellSeries(series), received: received)
  }

  /// The number of payloads that the cell's changes count.
  public var payloads: Int64 {
    let counted = series.used.last {
      series.names[$0].metric == .known(Catalogue.payloads) && series.names[$0].label.isEmpty
    }
    guard let counted, case .counter(let sum) = series.aggregate(at: counted) else { return 0 }
    return sum.payloads
  }
}

/// The measurements of one cell on one day that were taken at one age of the installation's update.
public struct AgedCellDelta: Sendable {
  public var key: CellKey
  public var day: CalendarDay
  public var age: UpdateAge
  /// Distributions and rates, without labels.
  public var series: [SeriesDelta]

  public init(key: CellKey, day: CalendarDay, age: UpdateAge, series: [SeriesDelta]) {
    self.key = key
    self.day = day
    self.age = age
    self.series = series
  }
}

/// The change of one metric of a cell.
public struct SeriesDelta: Sendable {
  public var metric: MetricReference
  /// The label of the changed rows; empty for the sum over all labels.
  public var label: String
  public var aggregate: Aggregate

  public init(metric: MetricReference, label: String, aggregate: Aggregate) {
    self.metric = metric
    self.label = label
    self.aggregate = aggregate
  }
}
