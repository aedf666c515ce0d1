import Foundation
import Testing

@testable import Core
@testable import Ingest

@Suite("Runs of performance tests")
struct XCTestMetricsTests {
  /// Invented measurements with the members of version 0.1.0 of `xcresulttool`'s schema.
  private static let document = #"""
    [{"testIdentifier": "LaunchTests/testColdLaunch()",
      "testIdentifierURL": "test://com.apple.xcode/Shop/ShopUITests/LaunchTests/testColdLaunch",
      "testRuns": [
        {"device": {"deviceId": "0000-1", "deviceName": "iPhone 15 Pro"},
         "testPlanConfiguration": {"configurationId": "1", "configurationName": "Test Scheme Action"},
         "metrics": [{"displayName": "Duration (AppLaunch)", "unitOfMeasurement": "s",
           "identifier": "com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration", "polarity": "prefers smaller",
           "baselineName": "", "baselineAverage": 0, "maxRegression": 0, "maxPercentRegression": 10,
           "maxStandardDeviation": 10, "maxPercentRelativeStandardDeviation": 10,
           "measurements": [0.512, 0.498, 2, 0.505]}]},
        {"device": {"deviceId": "0000-2", "deviceName": "iPhone SE"},
         "testPlanConfiguration": {"configurationId": "2", "configurationName": "Dark mode"},
         "metrics": [{"displayName": "Duration (AppLaunch)", "unitOfMeasurement": "s",
           "identifier": "com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration", "measurements": [0.9]}]},
        {"device": {"deviceId": "0000-1", "deviceName": "iPhone 15 Pro"},
         "testPlanConfiguration": {"configurationId": "1", "configurationName": "Test Scheme Action"},
         "metrics": [{"displayName": "Duration (AppLaunch)", "unitOfMeasurement": "s",
           "identifier": "com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration", "measurements": [0.6]}]}]},
     {"testIdentifier": "ScrollTests/testFeed()", "testRuns": [{"metrics": [
        {"displayName": "Hitch Time Ratio (Scroll_DraggingAndDeceleration)", "unitOfMeasurement": "ms per s",
         "identifier": "com.apple.dt.XCTMetric_OSSignpost-Scroll_DraggingAndDeceleration.animation.hitch.time.ratio",
         "measurements": [0, 3.5]},
        {"displayName": "Frame Rate (Scroll_DraggingAndDeceleration)", "unitOfMeasurement": "fps",
         "identifier": "com.apple.dt.XCTMetric_OSSignpost-Scroll_DraggingAndDeceleration.animation.frame.rate",
         "measurements": [59.9]},
        {"displayName": "CPU Cycles", "unitOfMeasurement": "kC", "measurements": [1200.5]},
        {"displayName": "Memory Physical", "unitOfMeasurement": "kB", "measurements": [-16.384],
         "identifier": "com.apple.dt.XCTMetric_Memory-com.example.shop.physical", "polarity": "prefers larger"},
        {"displayName": "Nothing", "unitOfMeasurement": "s", "measurements": []}]}]}]
    """#

  private func read(_ text: String, _ counterparts: [String: String] = [:]) throws -> [LabSeries] {
    try Data(text.utf8).withUnsafeBytes { try XCTestMetricsDocument($0, counterparts: counterparts).series }
  }

  @Test("each metric of a test and device is a series, in XCTest's units, with the metric of the field it foretells")
  func series() throws {
    let series = try read(Self.document)
    #expect(series.map(\.device) == ["iPhone 15 Pro", "iPhone SE, Dark mode", "", "", "", ""])
    #expect(series[0].values == [0.512, 0.498, 2, 0.505, 0.6], "a test that was repeated on the same device")
    #expect(series[0].median == 0.512 && series[2].median == 1.75)
    #expect(series.map(\.unit) == ["s", "s", "ms per s", "fps", "kC", "kB"])
    #expect(
      series.map(\.counterpart)
        == ["launch.first_draw", "launch.first_draw", "ui.scroll_hitch_ratio", nil, nil, nil])
    #expect(series.map(\.direction) == [.lower, .lower, .lower, .higher, .lower, .higher])
    #expect(series[4].metric == "CPU Cycles", "the name stands for a missing identifier")
    #expect(series[5].values == [-16.384])
  }

  @Test("known metrics of XCTest have their counterparts in every spelling, and others have none")
  func counterparts() {
    let prefix = "com.apple.dt.XCTMetric_"
    func counterpart(_ identifier: String, _ unit: String) -> String? {
      XCTestMetricMapping.counterpart(of: prefix + identifier, unit: unit)
    }
    let launch = "ApplicationLaunch-ApplicationFirstFramePresentationResponsive.duration"
    #expect(counterpart(launch, "s") == "launch.first_draw")
    #expect(counterpart("Memory-com.example.shop.physical_peak", "kB") == "memory.peak")
    #expect(counterpart("Memory.physical_peak", "kB") == "memory.peak")
    #expect(counterpart("Disk-com.example.shop.logical_writes", "kB") == "disk.writes")
    #expect(counterpart("Hitch-Shop.time.ratio", "ms per s") == "ui.hitch_ratio")
    #expect(counterpart("OSSignpost-NavigationTransition.hitchTimeRatio", "ms per s") == "ui.hitch_ratio")
    #expect(counterpart("OSSignpost-Scroll_Deceleration.hitchTimeRatio", "ms per s") == "ui.scroll_hitch_ratio")
    for (identifier, unit) in [
      ("Clock.time.monotonic", "s"), ("CPU.time", "s"), ("OSSignpost-Cart.duration", "s"),
      ("Memory.physical_peak", "furlongs"), ("Hitch-Shop.total.duration", "s"), (launch, "kB"),
    ] {
      #expect(counterpart(identifier, unit) == nil, "\(identifier) \(unit)")
    }
    #expect(XCTestMetricMapping.counterpart(of: "Memory.physical_peak", unit: "kB") == nil)
  }

  @Test("a test that is mapped by name foretells a metric with its first metric in a suitable unit")
  func mapped() throws {
    func metric(_ name: String, _ unit: String) -> String {
      #"{"displayName": "\#(name)", "identifier": "\#(name)", "unitOfMeasurement": "\#(unit)", "measurements": [1]}"#
    }
    let metrics = [
      metric("com.apple.dt.XCTMetric_CPU.time", "s"), metric("cart", "s"), metric("other", "s"), metric("peak", "kB"),
    ].joined(separator: ",")
    let text = #"[{"testIdentifier": "CartTests/testOpen()", "testRuns": [{"metrics": [\#(metrics)]}]}]"#
    for name in ["CartTests/testOpen()", "CartTests/testOpen"] {
      #expect(try read(text, [name: "screen.load"]).map(\.counterpart) == [nil, "screen.load", nil, nil])
    }
    #expect(
      try read(text, ["CartTests/testOpen": "memory.screen"]).map(\.counterpart) == [nil, nil, nil, "memory.screen"])
    #expect(try read(text).allSatisfy { $0.counterpart == nil })
  }

  static let refusals: [(String, String)] = [
    ("{}", "array"), ("[]", "no test has measurements"), ("[4]", "[0]"),
    (#"[{"testRuns": []}]"#, "[0].testIdentifier: is missing"),
    (#"[{"testIdentifier": "", "testRuns": []}]"#, "[0].testIdentifier: expected a name"),
    (#"[{"testIdentifier": "a", "testRuns": [{"metrics": {}}]}]"#, "[0].testRuns[0].metrics: expected an array"),
    (text(#""kB""#, "[1, null]"), "[0].testRuns[0].metrics[0].measurements[1]: expected a number, found null"),
    (text(#""kB""#, "[1e308]"), "measurements[0]: expected a number from"),
    (text(#""kB""#, "[-1e16]"), "measurements[0]: expected a number from"),
    (text(#""kB""#, "[NaN]"), "expected a value"),
    (text(#""kB""#, "[1e999]"), "the number is too large"), (text("4", "[1]"), "unitOfMeasurement: expected a string"),
    (text(#""kB""#, #""1""#), "measurements: expected an array"),
    (String(repeating: "[", count: 100_000), "not JSON"),
  ]

  @Test("an invalid document is refused with the key path", arguments: XCTestMetricsTests.refusals)
  func refused(text: String, problem: String) {
    #expect {
      try read(text)
    } throws: { error in
      error is JSONError && "\(error)".contains(problem)
    }
  }

  private static func text(_ unit: String, _ measurements: String) -> String {
    #"[{"testIdentifier": "a", "testRuns": [{"metrics": [{"displayName": "b", "unitOfMeasurement": \#(unit), "measurements": \#(measurements)}]}]}]"#
  }

  @Test("measurements, series and values are bounded")
  func bounds() throws {
    func measurements(_ count: Int) -> String { "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]" }
    #expect(try read(Self.text(#""s""#, measurements(10_000)))[0].values.count == 10_000)
    for count in [10_001, 1_000_000] {
      #expect {
        try read(Self.text(#""s""#, measurements(count)))
      } throws: { error in
        "\(error)".contains("at most")
      }
    }
    func tests(_ count: Int) -> String {
      "["
        + (0..<count).map {
          #"{"testIdentifier": "t\#($0)", "testRuns": [{"metrics": [{"displayName": "b", "unitOfMeasurement": "s", "measurements": [1]}]}]}"#
        }.joined(separator: ",") + "]"
    }
    #expect(try read(tests(500)).count == 500)
    #expect {
      try read(tests(501))
    } throws: { error in
      "\(error)".contains("[500].testRuns[0].metrics[0]: a run may have at most 500 metrics")
    }
    let long = Self.text(#""s""#, "[1]").replacing(
      "\"a\"", with: "\"" + String(repeating: "ü\\u0007", count: 5_000) + "\"")
    let name = try read(long)[0].test
    #expect(name.utf8.count <= 200 && !name.unicodeScalars.contains { $0.value < 0x20 })
  }
}
