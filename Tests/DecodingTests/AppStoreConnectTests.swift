import Foundation
import Testing

@testable import Core
@testable import Ingest

@Suite("App Store Connect's metrics")
struct AppStoreConnectTests {
  /// Launch times of two devices and a metric that only Apple has, as the API answers.
  static let document = #"""
    {"version": "1.0.0",
     "insights": {"regressions": [{"metric": "launchTime", "metricCategory": "LAUNCH", "referenceVersions": ["1.0"]}],
       "trendingUp": []},
     "productData": [{"platform": "iOS", "metricCategories": [
       {"identifier": "LAUNCH", "metrics": [{"identifier": "launchTime",
         "unit": {"identifier": "milliseconds", "displayName": "ms"},
         "goalKeys": [{"goalKey": "good", "lowerBound": 0}],
         "datasets": [
           {"filterCriteria": {"percentile": "percentile.fifty", "device": "all_iphones",
             "deviceMarketingName": "All iPhones"},
            "points": [{"version": "4.1.0", "value": 768.7}, {"version": "4.2.0", "value": 812.5, "errorMargin": 30.5}]},
           {"filterCriteria": {"percentile": "percentile.ninety", "device": "all_iphones",
             "deviceMarketingName": "All iPhones"},
            "points": [{"version": "4.1.0", "value": 1777.9, "goal": "good"},
              {"version": "4.2.0", "value": 2014.3, "errorMargin": null, "goal": "fair",
               "percentageBreakdown": {"value": 3, "subSystemLabel": "x"}}]},
           {"filterCriteria": {"percentile": "percentile.ninety", "device": "iPhone15,2"},
            "points": [{"version": "4.2.0", "value": 1200}]}]}]},
       {"identifier": "BATTERY", "metrics": [{"identifier": "batteryUsage", "unit": {"displayName": "%/day"},
         "datasets": [{"filterCriteria": {"percentile": "percentile.ninety", "device": "all_iphones",
           "deviceMarketingName": "All iPhones"}, "points": [{"version": "4.2.0", "value": 4.5},
             {"version": "", "value": 1}, {"version": "4.0", "value": -1}, {"version": "3.9", "value": null},
             {"version": "3.8", "value": 1e300}]}]}]}]}]}
    """#

  private func read(_ text: String) throws -> AppStoreConnectDocument {
    try Array(text.utf8).withUnsafeBytes { try AppStoreConnectDocument($0) }
  }

  private func matches(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { AppStoreConnectDocument.matches($0) }
  }

  @Test(
    "App Store Connect's metrics are read with Apple's names, margins and goals; points without a number are counted")
  func points() throws {
    let document = try read(Self.document)
    #expect(document.figures.count == 6 && document.rejected == 4)
    let newest = try #require(document.figures.first { $0.key.version == "4.2.0" && $0.key.percentile == "p90" })
    #expect(newest.value == 2014.3 && newest.errorMargin == nil && newest.goal == "fair" && newest.unit == "ms")
    #expect(newest.key.counterpart == "launch.first_draw" && newest.deviceName == "All iPhones")
    #expect(document.figures[1].errorMargin == 30.5)
    let phone = try #require(document.figures.first { $0.key.device == "iPhone15,2" })
    #expect(phone.deviceName == "iPhone15,2", "without a marketing name the identifier stands")
    #expect(document.figures.last?.key.counterpart == nil)
  }

  @Test("App Store Connect's metrics convert to the catalogue's units if Apple's unit measures the same")
  func units() throws {
    func factor(_ unit: String, _ metric: String) throws -> Double? {
      let key = AppStoreFigure.Key(
        platform: "iOS", category: "", metric: "", device: "", percentile: "p50", version: "1")
      return AppStoreFigure(key, deviceName: "", unit: unit, value: 1)
        .factor(into: try #require(Catalogue.metric(named: metric)).unit)
    }
    #expect(try factor("ms", "launch.first_draw") == 1)
    #expect(try factor("Seconds", "launch.first_draw") == 1000)
    #expect(try factor("MB", "memory.peak") == 1_000_000)
    #expect(try factor("MB/day", "disk.writes") == 1_000_000)
    #expect(try factor("seconds/hour", "hang.rate") == 1)
    #expect(try factor("%", "ui.scroll_hitch_ratio") == nil)
    #expect(try factor("parsecs", "launch.first_draw") == nil)
  }

  @Test("App Store Connect's metrics differ from payloads, and ingest refuses them")
  func telling() throws {
    #expect(matches(Self.document) && matches("  \n" + Self.document))
    for other in [#"{"app": {}}"#, #"[{"productData": []}]"#, "", "{", "productData"] { #expect(!matches(other)) }
    #expect(failure(Self.document)?.detail.contains("plumb import") == true)
  }

  @Test("App Store Connect's metrics that differ from Apple's documentation are refused with the key path")
  func refusals() {
    for (text, path) in [
      (#"{"productData": {}}"#, "productData"), (#"{"productData": [{}]}"#, "metricCategories"),
      (#"{"productData": [{"metricCategories": [{"metrics": [{"datasets": [{}]}]}]}]}"#, "filterCriteria"),
      (
        #"{"productData": [{"metricCategories": [{"metrics": [{"identifier": 4, "datasets": []}]}]}]}"#,
        "productData[0].metricCategories[0].metrics[0].identifier"
      ), (#"{"productData": ["#, "JSON"),
    ] {
      #expect { _ = try read(text) } throws: { "\($0)".contains(path) }
    }
    let points = String(
      repeating: #"{"version": "1", "value": 1},"#, count: AppStoreConnectDocument.mostFigures + 1)
    let many =
      #"{"productData": [{"metricCategories": [{"metrics": [{"datasets": [{"filterCriteria": {}, "points": ["#
      + points.dropLast() + "]}]}]}]}]}"
    #expect { _ = try read(many) } throws: { "\($0)".contains("more than 20000") }
  }

  @Test("an App Store Connect document that is cut off anywhere does not end the process")
  func prefixes() {
    let bytes = Array(Self.document.utf8)
    for count in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: (any Error).self) {
        try Array(bytes.prefix(count)).withUnsafeBytes { _ = try AppStoreConnectDocument($0) }
      }
    }
  }
}
