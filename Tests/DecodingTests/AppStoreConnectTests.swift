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

  @Test("payloads of megabytes are told from App Store Connect's documents without delay")
  func large() {
    let bytes = Array(("{\"app\": \"" + String(repeating: "product, \\\"", count: 1 << 20) + "\"}").utf8)
    let time = ContinuousClock().measure {
      #expect(!bytes.withUnsafeBytes { AppStoreConnectDocument.matches($0) })
    }
    #expect(time < .milliseconds(500))
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

  /// An overview with a goal, an insight and signatures, as `performanceOverviews` returns it.
  static let overview = #"""
    {"version": "4.5.0", "telemetryIdentifier": "t",
     "appMetadata": {"bundleId": "com.example.shop", "appId": "1", "latestVersion": "4.2.0", "platform": "iOS"},
     "insights": {"trendingUp": [{"metricCategory": "MEMORY", "metric": "peakMemory", "latestVersion": "4.2.0"}],
       "regressions": [{"metricCategory": "LAUNCH", "metric": "launchTime", "latestVersion": "4.2.0",
         "referenceVersions": "4.0.0, 4.1.0", "maxLatestVersionValue": 2014.3, "highImpact": true,
         "summaryString": "Launches are 13 % slower.",
         "populations": [{"device": "all_iphones", "percentile": "percentile.ninety", "deltaPercentage": -13.3,
           "latestVersionValue": 2014.3, "referenceAverageValue": 1777.9, "summaryString": "s"}]}]},
     "categories": [{"identifier": "LAUNCH", "displayName": "Launch", "sections": [
        {"identifier": "launchTime", "displayName": "Launch Time", "relevanceScore": 0.5, "sortOrder": 1,
         "unit": {"identifier": "ms", "displayName": "ms"},
         "datasets": [{"filterCriteria": {"percentile": "percentile.ninety", "device": "all_iphones",
             "deviceMarketingName": "All iPhones"},
           "recommendedMetricGoal": {"value": 1200, "detail": "Based on similar apps."},
           "points": [{"version": "4.2.0", "value": 2014.3}]}]}]},
       {"identifier": "STORAGE", "displayName": "Storage", "sections": [
        {"identifier": "documentsSize", "unit": {"displayName": "MB"},
         "datasets": [{"filterCriteria": {"percentile": "percentile.fifty", "device": "all_iphones"},
           "points": [{"version": "4.2.0", "value": 40,
             "percentageBreakdown": [{"subSystemLabel": "Caches", "value": 75},
               {"subSystemLabel": "Documents", "value": 25}]}]}]}]}],
     "signatures": {"topHangPoint": [{"signatureId": "h1", "signature": "-[Cart reload]", "count": 12, "weight": 45.2,
         "sourceFile": "Cart.swift", "lineNumber": 42, "trendInfo": "UP",
         "metricsSummary": {"referenceVersions": [{"version": "4.1.0", "value": 30.5}]}}],
       "topLaunchPoint": [], "topDiskWritePoint": [{"signature": "sqlite3_step", "trendInfo": "UNDEFINED"}]}}
    """#

  /// A page of the diagnostic signatures of a build.
  static let signatures = #"""
    {"data": [{"type": "diagnosticSignatures", "id": "h1", "attributes": {"diagnosticType": "HANGS",
       "signature": "-[Cart reload]", "weight": 45.2, "insight": {"insightType": "TREND", "direction": "DOWN",
         "referenceVersions": [{"version": "4.1.0", "value": 50}]}}},
      {"type": "diagnosticSignatures", "id": "n1", "attributes": {"diagnosticType": "NEW_KIND", "signature": "f"}}],
     "links": {"self": "https://api.appstoreconnect.apple.com/v1/builds/b/diagnosticSignatures"}}
    """#

  @Test("App Store Connect's overview is read with goals, insights, breakdowns and signatures")
  func overview() throws {
    let document = try read(Self.overview)
    #expect(document.bundleID == "com.example.shop" && document.latestVersion == "4.2.0" && document.rejected == 0)
    let answer = document.answer
    #expect(answer.figures.map(\.key.category) == ["LAUNCH", "STORAGE"])
    #expect(answer.figures[1].parts.map(\.label) == ["Caches", "Documents"] && answer.figures[1].parts[0].share == 75)
    let goal = try #require(answer.goals.first)
    #expect(answer.goals.count == 1 && goal.high == 1200 && goal.low == nil && goal.name == "recommended")
    #expect(goal.device == "all_iphones" && goal.percentile == "p90" && goal.counterpart == "launch.first_draw")
    #expect(goal.detail == "Based on similar apps.")
    let slower = try #require(answer.insights.first { $0.kind == .regression })
    #expect(slower.isHighImpact && slower.referenceVersions == ["4.0.0, 4.1.0"] && slower.maximum == 2014.3)
    #expect(slower.populations.first?.delta == -13.3 && slower.populations.first?.percentile == "p90")
    #expect(answer.insights.count == 2 && answer.insightCategories == ["LAUNCH", "MEMORY"])
    #expect(answer.signatures.map(\.kind) == [.hangs, .diskWrites])
    #expect(answer.signatureKinds == [.hangs, .launches, .diskWrites], "no launches are an answer, too")
    let hang = answer.signatures[0]
    #expect(hang.file == "Cart.swift" && hang.line == 42 && hang.trend == "up" && hang.version == "4.2.0")
    #expect(hang.references == [.init(version: "4.1.0", value: 30.5)] && answer.signatures[1].trend.isEmpty)
    #expect(matches(Self.overview) && matches(Self.signatures))
  }

  @Test("App Store Connect's goals by class and its insights are read from the metrics, and the kinds of signatures")
  func notes() throws {
    let metrics = try read(Self.document).answer
    #expect(
      metrics.goals == [
        AppStoreGoal(platform: "iOS", category: "LAUNCH", metric: "launchTime", name: "good", low: 0, unit: "ms")
      ])
    #expect(metrics.insights.map(\.referenceVersions) == [["1.0"]])
    #expect(metrics.insightCategories == ["LAUNCH", "BATTERY"])
    #expect(
      metrics.figures.first { $0.key.version == "4.2.0" && !$0.parts.isEmpty }?.parts == [
        .init(label: "x", share: 3)
      ])
    let page = try read(Self.signatures).answer
    #expect(page.signatures.count == 1 && page.signatures[0].weight == 45.2 && page.signatures[0].trend == "down")
    #expect(page.signatureKinds == [.hangs])
  }

  @Test("words of App Store Connect in a payload do not make it a document of App Store Connect")
  func words() {
    for other in [
      #"{"app": {"bundle_id": "a"}, "measurements": [{"metric": "x", "label": "diagnosticSignatures"}]}"#,
      #"{"appMetadata": {}, "timeStampBegin": "x"}"#, #"{"data": [{"type": "diagnosticSignatures"}]}"#,
    ] { #expect(!matches(other), "\(other)") }
  }

  @Test("App Store Connect's overviews and signatures that differ from Apple's documentation are refused")
  func refusedNotes() {
    for (text, path) in [
      (#"{"categories": 4, "appMetadata": {}}"#, "categories"),
      (#"{"categories": [], "signatures": {"topHangPoint": [4]}}"#, "signatures.topHangPoint[0]"),
      (
        #"{"categories": [], "appMetadata": {}, "insights": {"regressions": [{"metric": 1}]}}"#, "regressions[0].metric"
      ),
      (#"{"data": [{"type": "diagnosticSignatures"}], "links": {}}"#, "data[0]"),
    ] {
      #expect { _ = try read(text) } throws: { "\($0)".contains(path) }
    }
    let many = String(repeating: #"{"goalKey": "good"},"#, count: AppStoreConnectDocument.mostNotes + 1)
    let document =
      #"{"productData": [{"metricCategories": [{"metrics": [{"goalKeys": ["# + many.dropLast()
      + #"], "datasets": []}]}]}]}"#
    #expect { _ = try read(document) } throws: { "\($0)".contains("more than 20000") }
  }

  @Test("an App Store Connect document that is cut off anywhere does not end the process")
  func prefixes() {
    for bytes in [Self.document, Self.overview, Self.signatures].map({ Array($0.utf8) }) {
      for count in stride(from: 0, to: bytes.count, by: 7) {
        #expect(throws: (any Error).self) {
          try Array(bytes.prefix(count)).withUnsafeBytes { _ = try AppStoreConnectDocument($0) }
        }
      }
    }
  }
}
