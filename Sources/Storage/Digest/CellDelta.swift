public import Core

/// The finest subdivision of an app's data. Each report belongs to one cell.
public struct CellKey: Hashable, Sendable {
  public var app: AppID
  public var source: Source
  public var environment: String
  public var release: Release
  /// The OS name and version, such as `iOS 17.4.1`.
  public var os: String
  /// The model identifier, such as `iPhone15,2`.
  public var model: String
  /// The values of the app's attributes that were sent, sorted by name, at most one of each name.
  public var attributes: [AppAttribute]

  public init(
    app: AppID, source: Source, environment: String, release: Release, os: String, model: String,
    attributes: [AppAttribute] = []
  ) {
    self.app = app
    self.source = source
    self.environment = environment
    self.release = release
    self.os = os
    self.model = model
    self.attributes = attributes
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
