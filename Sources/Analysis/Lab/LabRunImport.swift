public import Core
import Ingest
import Storage

/// The names of a performance-test run that is imported, from a command's flags or the parameters of a request.
public struct LabRunImport: Sendable {
  private let release: String
  private let commit: String
  private let branch: String
  private let runner: String
  private let counterparts: [String: String]

  /// Throws `InvalidQuery` with the name of the parameter that is missing or invalid.
  public init(parameter: (String) -> String?) throws(InvalidQuery) {
    release = try Self.text("release", parameter)
    guard !release.isEmpty else { throw Self.expected("release", "a version such as 4.2.0", "no value") }
    let commit = (parameter("commit") ?? "").lowercased()
    let isHexadecimal = commit.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    guard isHexadecimal, (LabLimits.commitDigits...64).contains(commit.utf8.count) else {
      throw Self.expected(
        "commit", "\(LabLimits.commitDigits) to 64 hexadecimal digits", commit.isEmpty ? "no value" : "\"\(commit)\"")
    }
    self.commit = commit
    branch = try Self.text("branch", parameter)
    runner = try Self.text("runner", parameter)
    counterparts = try Self.counterparts(parameter("map") ?? "")
  }

  /// Reads the output of `xcresulttool get test-results metrics`. Throws `JSONError`.
  public func run(_ bytes: UnsafeRawBufferPointer, at now: Timestamp) throws -> LabRun {
    LabRun(
      release: release, commit: commit, branch: branch, runner: runner, imported: now,
      series: try XCTestMetricsDocument(bytes, counterparts: counterparts).series)
  }

  /// The tests that were mapped to a metric and that the run does not have, sorted.
  public func unknownTests(_ run: LabRun) -> [String] {
    Set(counterparts.keys).subtracting(run.series.map(\.test)).sorted()
  }

  /// The largest file, in bytes: several times what the limits of a run need.
  public static let mostBytes = 4 << 20

  private static func text(_ name: String, _ parameter: (String) -> String?) throws(InvalidQuery) -> String {
    let text = parameter(name) ?? ""
    guard SanitizedText.name(text) == text else {
      throw expected(name, "at most \(SanitizedText.longestName) bytes on one line", "\"\(SanitizedText.name(text))\"")
    }
    return text
  }

  /// `LaunchTests/testColdLaunch()=launch.first_draw`, several separated by commas.
  private static func counterparts(_ list: String) throws(InvalidQuery) -> [String: String] {
    var found: [String: String] = [:]
    for part in list.split(separator: ",") {
      guard let equals = part.lastIndex(of: "="), found.count < LabLimits.series else {
        throw expected("map", "TEST=METRIC, such as LaunchTests/testColdLaunch()=launch.first_draw", "\"\(part)\"")
      }
      let metric = String(part[part.index(after: equals)...])
      guard Catalogue.metric(named: metric)?.kind == .distribution else {
        throw expected("map", "a metric with percentiles such as launch.first_draw after =", "\"\(metric)\"")
      }
      found[String(part[..<equals])] = metric
    }
    return found
  }

  private static func expected(_ name: String, _ what: String, _ found: String) -> InvalidQuery {
    InvalidQuery(detail: "\(name): expected \(what), found \(found)", parameter: name)
  }
}

/// The answer to an imported performance-test run.
public struct LabReceipt: APIObject {
  /// False if the app already had the run.
  public var isNew: Bool
  public var series: Int
  public var counterparts: [String]
  public var unknownTests: [String]

  public init(_ run: LabRun, _ query: LabRunImport, isNew: Bool) {
    self.isNew = isNew
    unknownTests = query.unknownTests(run)
    series = run.series.count
    counterparts = Set(run.series.compactMap(\.counterpart)).sorted()
  }

  public static let fields = Fields<Self>("LabReceipt") {
    Field("stored", \.isNew, "False if the app already had a run with the same measurements and names.")
    Field("series", \.series, "The number of metrics of tests and devices.")
    Field("field_metrics", \.counterparts, "The metrics of users' devices beside which the run is shown.")
    Field("unknown_tests", \.unknownTests, "Tests of the parameter `map` that the run does not have.")
  }
}
