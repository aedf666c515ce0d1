import Core
import Statistics

extension MetricReport {
  /// All numbers of a series; nil for sessions and users, which are shown only as derived metrics.
  init?(reading series: Series) {
    guard let measure = Measure.of(series) else { return nil }
    self.init(reading: series, measure)
  }

  init(reading series: Series, _ measure: Measure) {
    let metric: Metric? =
      if case .known(let number) = series.metric { Catalogue.metric(number: number) } else { nil }
    self.init(
      name: series.metric.name, title: metric?.title ?? series.metric.name, unit: series.metric.unit,
      kind: series.metric.kind, weight: metric?.weight ?? .event, label: series.label.isEmpty ? nil : series.label,
      source: series.source)
    read(measure)
    if case .share = measure { payloads = series.pairs }
  }

  /// The sort order: the catalogue's order; custom metrics come last.
  var catalogueOrder: Int { Catalogue.metric(named: name).map { Int($0.number) } ?? Int.max }

  private mutating func read(_ measure: Measure) {
    n = measure.n
    nEffective = measure.nEffective
    switch measure {
    case .distribution(let distribution): read(distribution)
    case .share(let share):
      numerator = share.bad
      denominator = share.n
      payloads = share.clusters
      value = measure.estimate(.value, tail: HealthReader.shownTail)
    case .rate(let rate):
      numerator = Double(rate.sums.x)
      denominator = Double(rate.sums.y)
      payloads = rate.sums.clusters
      value = measure.estimate(.value, tail: HealthReader.shownTail)
    case .sum(let total, let count):
      sum = total
      payloads = count
      value = Estimate(value: total)
    }
  }

  private mutating func read(_ distribution: DistributionMeasure) {
    let histogram = distribution.histogram
    payloads = histogram.moments.clusters
    guard histogram.count > 0 else { return }
    sum = Double(histogram.sum) / unit.stepsPerUnit
    mean = distribution.reader.mean
    minimum = histogram.minimum
    maximum = histogram.maximum
    isEstimated = histogram.isEstimated
    for rank in Self.ranks {
      percentiles[rank] = distribution.percentile(rank, tail: HealthReader.shownTail)
    }
    error = [50, 90, 95].compactMap { distribution.reader.quantile(Double($0) / 100)?.relativeError }.max()
  }
}
