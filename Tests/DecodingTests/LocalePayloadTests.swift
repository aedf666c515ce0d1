import Foundation
import Testing

@testable import Core
@testable import Ingest

/// A payload of a device that speaks the language of `style`. Every number is `base` and a few more.
private func payload(_ style: LocaleStyle, _ base: Int) -> String {
  func quoted(_ extra: Int, _ unit: LocaleStyle.Unit) -> String { "\"\(style.text(base + extra, unit))\"" }
  func quoted(_ extra: Int, _ pattern: String) -> String { "\"\(style.text(base + extra, pattern))\"" }
  func histogram(_ start: String, _ end: String) -> String {
    #"{"histogramNumBuckets": 1, "histogramValue": {"0": {"bucketCount": 3, "bucketStart": \#(start), "bucketEnd": \#(end)}}}"#
  }
  let launches = histogram(quoted(1, .millisecond), quoted(10, .millisecond))
  return #"""
    {"timeStampBegin": "2020-10-23 16:00:00 +0000", "timeStampEnd": "2020-10-24 15:59:00 +0000",
     "applicationTimeMetrics": {"cumulativeForegroundTime": \#(quoted(2, .second))},
     "applicationLaunchMetrics": {"histogrammedTimeToFirstDrawKey": \#(launches)},
     "memoryMetrics": {"peakMemoryUsage": \#(quoted(3, .kilobyte)), "averageSuspendedMemory":
       {"averageValue": \#(quoted(4, .kilobyte)), "standardDeviation": 0, "sampleCount": 2}},
     "cpuMetrics": {"cumulativeCPUInstructions": \#(quoted(5, "# kiloinstructions"))},
     "networkTransferMetrics": {"cumulativeWifiUpload": \#(quoted(6, .byte)),
       "cumulativeWifiDownload": \#(quoted(7, .megabyte)), "cumulativeCellularUpload": \#(quoted(8, .gigabyte))},
     "displayMetrics": {"averagePixelLuminance":
       {"averageValue": \#(quoted(9, "# apl")), "standardDeviation": 0, "sampleCount": 2}},
     "cellularConditionMetrics": {"cellConditionTime": \#(histogram(quoted(0, "# bars"), quoted(0, "# bars")))},
     "animationMetrics": {"scrollHitchTimeRatio": \#(quoted(11, "# ms per s"))},
     "signpostMetrics": [{"signpostName": "a", "signpostCategory": "b", "signpostIntervalData": {
       "signpostCumulativeCPUTime": \#(quoted(12, .millisecond)), "signpostAverageMemory": \#(quoted(13, .kilobyte))}}]}
    """#
}

@Test("a payload in the language of any locale gives the same numbers without a warning", arguments: LocaleStyle.all)
func payloads(style: LocaleStyle) throws {
  for base in [0, 1, 990, 1000, 79_041, 123_456] {
    let report = try #require(try decode(payload(style, base)).first)
    func at(_ extra: Int) -> Double { Double(base + extra) }
    let expected: [String: Core.Measurement.Value] = [
      "launch.first_draw": .spans([Span(low: at(1), high: at(10), count: 3)]), "time.foreground": .counter(at(2)),
      "memory.peak": .samples([at(3) * 1e3]), "memory.suspended": .samples([at(4) * 1e3]),
      "cpu.instructions": .counter(at(5) * 1e3), "network.wifi_up": .counter(at(6)),
      "network.wifi_down": .counter(at(7) * 1e6), "network.cellular_up": .counter(at(8) * 1e9),
      "display.luminance": .samples([at(9)]), "ui.scroll_hitch_ratio": .samples([at(11)]),
      "cellular.bars": .spans([Span(low: at(0), high: at(0), count: 3)]),
      "signpost.b.a.cpu": .counter(at(12) / 1e3), "signpost.b.a.memory": .samples([at(13) * 1e3]),
    ]
    #expect(report.unknownUnits == 0 && report.rejectedSamples == 0)
    #expect(report.measurements.count == expected.count)
    for (name, value) in expected { #expect(report.values(name) == [value], "\(name)") }
  }
}

@Test(
  "the locales of this suite write what the collected table of locales contains",
  .enabled(if: Collected.exists(Collected.locales), "The table of locales is not beside the repository."))
func collectedLocales() throws {
  let text = try String(contentsOf: Collected.locales, encoding: .utf8)
  let rows = text.split(separator: "\n").map { $0.components(separatedBy: "\t") }
  let names = try #require(rows.first)
  #expect(rows.count - 1 == LocaleStyle.all.count)
  for (row, style) in zip(rows.dropFirst(), LocaleStyle.all) {
    #expect(row[0] == style.description && row[1] == style.example)
    for (name, cell) in zip(names, row).dropFirst(2) {
      let words = name.split(separator: " ")
      let unit = try #require(LocaleStyle.Unit.allCases.first { "\($0)" == words[0] })
      let value = try #require(Int(words[1]))
      #expect(style.text(value, unit).utf8.elementsEqual(cell.utf8), "\(style) \(name)")
    }
  }
}
