import TestSupport

@testable import Core
@testable import Statistics
@testable import Storage

/// Made-up changes of all kinds, as payloads cause them.
enum MadeUp {
  /// One aggregate of each kind: distributions of samples, buckets and counts, a counter and a pair.
  static func aggregates(_ random: inout SeededRandom) -> [Aggregate] {
    var (samples, spans, counts) = (
      Histogram(scheme: .logarithmic), Histogram(scheme: .logarithmic), Histogram(scheme: .integer)
    )
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      var (one, two, three) = (ClusterSum(), ClusterSum(), ClusterSum())
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let value = Double.random(in: 0...5000, using: &random)
        samples.insert(value < 100 ? 0 : value, stepsPerUnit: 1000, into: &one)
        let low = Double(Int.random(in: 0...40, using: &random) * 50)
        let high = low > 1800 ? .infinity : low + 50
        spans.insertSpan(
          low: low, high: high, count: Int.random(in: 1...30, using: &random), stepsPerUnit: 1000, into: &two)
        counts.insert(
          Double(Int.random(in: 0...300, using: &random)), stepsPerUnit: 1, count: 2, into: &three)
      }
      samples.close(one)
      spans.close(two)
      counts.close(three)
    }
    if Bool.random(using: &random) { spans.restate(sum: 12_345.5, minimum: 3, maximum: 4000, stepsPerUnit: 1000) }
    var pair = RatioMoments()
    pair.add(x: Int64.random(in: 0...1_000_000, using: &random), y: Int64.random(in: 1...90_000_000, using: &random))
    let counter = CounterSum(steps: Int64.random(in: 0...1_000_000_000_000, using: &random), payloads: 1)
    return [.distribution(samples), .distribution(spans), .distribution(counts), .counter(counter), .pair(pair)]
  }

  /// The first day of the fleet.
  static let firstDay = CalendarDay(number: 20_000)

  /// The time at which the fleet is looked at: its last day.
  static let now = Timestamp(milliseconds: Int64(firstDay.number + 27) * 86_400_000 + 43_200_000)

  private static let releases = [
    Release(version: "4.1.0", build: "400"), Release(version: "4.2.0", build: "410"),
    Release(version: "4.2.0", build: "411"), Release(version: ""), Release(version: "5.0 (beta)", build: "1"),
  ]
  private static let systems = ["iOS 17.4.1", "iOS 18.0", "", "macOS 15'\\ x"]
  private static let models = ["iPhone15,2", "iPhone16,1", "iPad14,3", "Mac15,3", ""]
  /// Values of the app's attributes; none for the empty one.
  private static let values = ["control", "new 'cart'", ""]
  private static let labels = ["Home", "Cart'); DROP TABLE facts; --", "(other)", "日本語\n"]

  /// The metrics of a fleet, in the order of `aggregates`: of the catalogue and an app's own.
  private static let metrics: [MetricReference] = [
    .custom(name: "screen.load", unit: .milliseconds, kind: .distribution),
    MetricReference(name: "launch.first_draw", unit: .milliseconds, kind: .distribution),
    .custom(name: "cart's size", unit: .count, kind: .distribution),
    .custom(name: "taps", unit: .count, kind: .counter),
  ]

  /// Changes of two apps on 28 days: whole days and bins of five minutes, with and without labels.
  static func cells(_ count: Int, _ random: inout SeededRandom) -> [CellDelta] {
    (0..<count).flatMap { _ in
      let app: AppID = Bool.random(using: &random) ? 1 : 2
      let day = firstDay + Int.random(in: 0..<28, using: &random)
      let isWhole = Bool.random(using: &random)
      let minute = day.number * 1440 + Int.random(in: 0..<288, using: &random) * 5
      let key = CellKey(
        app: app, source: isWhole ? .metricKit : .native,
        environment: Int.random(in: 0..<5, using: &random) == 0 ? "beta's" : "production",
        release: releases.randomElement(using: &random)!, os: systems.randomElement(using: &random)!,
        model: models.randomElement(using: &random)!,
        attributes: ["experiment", "region"].compactMap {
          AppAttribute(name: $0, value: values.randomElement(using: &random)!)
        })
      var series: [SeriesDelta] = []
      for (metric, aggregate) in zip(metrics, aggregates(&random)) {
        let label = metric == metrics[0] ? labels.randomElement(using: &random)! : ""
        series.append(SeriesDelta(metric: metric, label: "", aggregate: aggregate))
        if !label.isEmpty { series.append(SeriesDelta(metric: metric, label: label, aggregate: aggregate)) }
      }
      let received = Timestamp(milliseconds: Int64(day.number + 1) * 86_400_000)
      guard !isWhole else { return [CellDelta(key: key, bin: TimeBin(day), series: series, received: received)] }
      // As the digest writes it: values in fine bins, and the moments of a payload in its day, without values.
      let payload = SeriesDelta(metric: metrics[0], label: "", aggregate: moments(&random))
      return [
        CellDelta(
          key: key, bin: TimeBin(start: minute, resolution: .fiveMinutes), series: series, received: received),
        CellDelta(key: key, bin: TimeBin(day), series: [payload], received: received),
      ]
    }
  }

  /// A distribution without values that has the moments of a payload.
  static func moments(_ random: inout SeededRandom) -> Aggregate {
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    // So many values that the sums have keys of their own, which no row with values shares.
    cluster.count = Int.random(in: (1 << 20)...(1 << 21), using: &random)
    cluster.indexSum = Int.random(in: -500...5_000, using: &random)
    histogram.close(cluster)
    return .distribution(histogram)
  }

  /// Queries with every filter and dimension that a page may ask for.
  static let queries: [RowQuery] = {
    let window = Window(from: firstDay, to: firstDay + 27)
    let slices = [
      Slice(), Slice(environment: "beta's"), Slice(release: "4.2.0"), Slice(release: "4.2.0 (411)"),
      Slice(release: "(unknown)"), Slice(release: "5.0 (beta) (1)"), Slice(os: "iOS 18.0"), Slice(os: "(unknown)"),
      Slice(os: "macOS 15'\\ x"), Slice(device: "iPhone15,2"), Slice(deviceClass: "iPhone 15"),
      Slice(release: "4.2.0", os: "iOS 18.0"), Slice(release: "4.1.0", deviceClass: "iPhone 14 Pro"),
      Slice(label: "Home"), Slice(release: "4.2.0", label: labels[1]), Slice(environment: "none"),
    ]
    var queries: [RowQuery] = []
    for slice in slices {
      for dimension in [nil, Dimension.release, .os, .device, .deviceClass] {
        queries.append(RowQuery(app: 1, slice: slice, window: window, dimension: dimension, bins: .days))
      }
    }
    for text in ["", "experiment=control", "experiment!=control", "region=new 'cart'", "region!=control"] {
      for dimension in [nil, Dimension.attribute, .release, .deviceClass, .os, .combination] {
        var query = RowQuery(
          app: 1, slice: Slice(attribute: AttributeFilter(text)), window: window, dimension: dimension, bins: .days)
        if dimension == .attribute { query.attribute = "experiment" }
        queries.append(query)
        query.attribute = "region"
        if dimension == .attribute { queries.append(query) }
      }
    }
    queries.append(RowQuery(app: 1, slice: Slice(), window: window))
    queries.append(RowQuery(app: 1, slice: Slice(release: "4.2.0"), window: window, dimension: .os))
    queries.append(RowQuery(app: 2, slice: Slice(), window: window, byLabel: true, bins: .days))
    queries.append(RowQuery(app: 2, slice: Slice(os: ""), window: window, byLabel: true))
    queries.append(RowQuery(app: 1, slice: Slice(), window: window, metrics: ["cart's size", "none"]))
    queries.append(RowQuery(app: 1, slice: Slice(), window: window, metrics: []))
    queries.append(RowQuery(app: 3, slice: Slice(), window: window))
    queries.append(
      RowQuery(app: 1, slice: Slice(), window: Window(from: firstDay + 3, to: firstDay + 4), dimension: .release))
    for metrics in [["users"], ["sessions", "users"], ["launch.first_draw"]] {
      for dimension in [nil, Dimension.release, .device] {
        queries.append(
          RowQuery(app: 1, slice: Slice(), window: window, metrics: metrics, dimension: dimension, bins: .window))
      }
    }
    var shares = RowQuery(app: 1, slice: Slice(), window: window)
    shares.leavesOutTotals = true
    queries.append(shares)
    return queries
  }()
}
