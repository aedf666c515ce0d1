/// One run of performance tests on a build machine: one imported file with the measurements of all its tests. Never
/// mixed with numbers from users' devices.
public struct LabRun: Sendable, Hashable {
  /// The version under test as it will be released: `4.2.0`, or with its build: `4.2.0 (1234)`.
  public var release: String
  /// The commit under test, in lower-case hexadecimal digits.
  public var commit: String
  /// The branch of a pull request; empty for the main line, whose runs are compared with the field.
  public var branch: String
  /// The machine, or the kind of machine. Only runs with equal names are compared.
  public var runner: String
  public var imported: Timestamp
  public var series: [LabSeries]

  public init(
    release: String, commit: String, branch: String = "", runner: String = "", imported: Timestamp, series: [LabSeries]
  ) {
    self.release = release
    self.commit = commit
    self.branch = branch
    self.runner = runner
    self.imported = imported
    self.series = series
  }

  /// The SHA-256 of everything except the time, by which a second import of the same run is recognised.
  public var digest: [UInt8] {
    var bytes = ByteWriter()
    for text in [release, commit, branch, runner] { bytes.string(text) }
    for series in series {
      for text in [series.test, series.metric, series.device, series.unit, series.counterpart ?? ""] {
        bytes.string(text)
      }
      bytes.count(series.values.count)
      for value in series.values { bytes.double(value) }
    }
    return bytes.withBytes { MessageDigest.sha256($0) }
  }
}

/// The measurements of one metric by one test on one device, in the order of its iterations.
public struct LabSeries: Sendable, Hashable {
  /// The test's identifier: `LaunchTests/testColdLaunch()`.
  public var test: String
  /// The metric's identifier: `com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration`.
  public var metric: String
  /// The metric's name for people: `Duration (AppLaunch)`.
  public var title: String
  /// The device, with the configuration of the test plan if it has a name: `iPhone 16, Dark mode`.
  public var device: String
  /// The unit as XCTest writes it: `s`, `kB`, `ms per s`.
  public var unit: String
  public var direction: Metric.Direction
  /// The metric of the catalogue whose changes this one should foretell; nil if there is none.
  public var counterpart: String?
  public var values: [Double]

  public init(
    test: String, metric: String, title: String, device: String, unit: String, direction: Metric.Direction = .lower,
    counterpart: String? = nil, values: [Double]
  ) {
    self.test = test
    self.metric = metric
    self.title = title
    self.device = device
    self.unit = unit
    self.direction = direction
    self.counterpart = counterpart
    self.values = values
  }

  /// The median of the values; nil without values. One slow iteration does not change it much.
  public var median: Double? {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? sorted[middle - 1] / 2 + sorted[middle] / 2 : sorted[middle]
  }
}
