public import Core
import Storage

/// What `xcrun xcresulttool get test-results metrics` prints: for each test, the measurements of its runs on each device.
///
/// The members are those of version 0.1.0 of the tool's schema (`--schema`). Only `testIdentifier`, `testRuns`,
/// `metrics`, `displayName`, `unitOfMeasurement` and `measurements` are required.
public struct XCTestMetricsDocument: Sendable {
  /// One series for each test, metric and device, in the document's order.
  public private(set) var series: [LabSeries] = []
  private var indexes: [[String]: Int] = [:]
  private var measurements = 0
  private let counterparts: [String: String]

  /// Reads a document. `counterparts`: metrics of the catalogue by test identifier, for tests whose metrics have no
  /// counterpart by themselves. Throws `JSONError` with the key path of an invalid value, or if the document is too
  /// large.
  public init(_ bytes: UnsafeRawBufferPointer, counterparts: [String: String] = [:]) throws {
    let parser = JSONParser(maximumDepth: 16, mostValues: Self.mostValues, keptMemory: 0)
    self = try parser.withDocument(bytes) { root throws(JSONError) in
      var document = Self(counterparts: counterparts)
      for test in try root.array() { try document.read(test: test.object()) }
      guard !document.series.isEmpty else { throw root.failure("no test has measurements") }
      return document
    }
  }

  private init(counterparts: [String: String]) { self.counterparts = counterparts }

  /// The most values and names: several times what the limits of series and measurements need.
  private static let mostValues = 100_000

  private mutating func read(test: JSONObject) throws(JSONError) {
    let name = try test.required("testIdentifier").name()
    for element in try test.required("testRuns").array() {
      let run = try element.object()
      let device = try Self.device(run)
      for metric in try run.required("metrics").array() { try read(metric: metric.object(), test: name, device) }
    }
  }

  /// The device, with the configuration of the test plan unless it has the default name.
  private static func device(_ run: JSONObject) throws(JSONError) -> String {
    let device = try run["device"]?.object()
    let configuration = try run["testPlanConfiguration"]?.object()["configurationName"]?.name(orEmpty: true) ?? ""
    let isDefault = ["Test Scheme Action", "Configuration 1"].contains(configuration)
    let name = try (device?["modelName"] ?? device?["deviceName"])?.name(orEmpty: true) ?? ""
    let system = try device?["osVersion"]?.name(orEmpty: true) ?? ""
    return [name, system, isDefault ? "" : configuration].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private mutating func read(metric: JSONObject, test: String, _ device: String) throws(JSONError) {
    let title = try metric.required("displayName").name()
    let unit = try metric.required("unitOfMeasurement").name(orEmpty: true)
    let identifier = try metric["identifier"]?.name() ?? title
    var values: [Double] = []
    let all = try metric.required("measurements")
    for element in try all.array() {
      let value = try element.number()
      guard value.magnitude <= DecodingLimits.value else {
        throw element.failure("expected a number from −10¹⁵ to 10¹⁵")
      }
      measurements += 1
      guard measurements <= LabLimits.measurements else {
        throw element.failure("a run may have at most \(LabLimits.measurements) measurements")
      }
      values.append(value)
    }
    // Xcode lists a metric without measurements if an iteration recorded none.
    guard !values.isEmpty else { return }
    let key = [test, identifier, device, unit]
    if let known = indexes[key] { return series[known].values += values }
    guard series.count < LabLimits.series else {
      throw metric.value.failure("a run may have at most \(LabLimits.series) metrics of tests and devices")
    }
    let polarity = try metric["polarity"]?.name(orEmpty: true) ?? ""
    indexes[key] = series.count
    series.append(
      LabSeries(
        test: test, metric: identifier, title: title, device: device, unit: unit,
        direction: polarity == "prefers larger" || polarity.isEmpty && unit == "fps" ? .higher : .lower,
        counterpart: counterpart(of: identifier, unit, in: test), values: values))
  }

  /// The metric of the field. A test that was mapped by name has it for its first suitable metric on each device, which
  /// is not processor time.
  private func counterpart(of identifier: String, _ unit: String, in test: String) -> String? {
    guard let chosen = counterparts[test] ?? counterparts[test.replacing("()", with: "")] else {
      return XCTestMetricMapping.counterpart(of: identifier, unit: unit)
    }
    let isFirst = !series.contains { $0.test == test && $0.counterpart == chosen && $0.metric != identifier }
    return isFirst && !identifier.contains("XCTMetric_CPU") && XCTestMetricMapping.measures(chosen, in: unit)
      ? chosen : nil
  }
}

extension JSONValue {
  /// A text as a name: cleaned, cut to the length of stored names, and not empty.
  fileprivate func name(orEmpty: Bool = false) throws(JSONError) -> String {
    let name = try text().kept
    guard orEmpty || !name.isEmpty else { throw failure("expected a name, found an empty text") }
    return name
  }
}
