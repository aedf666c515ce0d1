import Foundation
import Telemetry
import Testing

@testable import Decoding

/// Collected documents beside the repository; read in place where they exist.
private let shared = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared")

private func files(_ folder: String) -> [URL] {
  (try? FileManager.default.contentsOfDirectory(
    at: shared.appending(path: folder), includingPropertiesForKeys: nil)) ?? []
}

@Test("collected metric payloads are read without a warning", arguments: files("fixtures/metrickit/metric"))
func collectedMetricPayloads(file: URL) throws {
  let report = try #require(try decode([UInt8](Data(contentsOf: file))).first)
  #expect(report.environment == "simulated")
  #expect(report.measurements.count > 25 && report.unknownUnits == 0 && report.rejectedSamples == 0)
}

private struct LocaleRow: CustomStringConvertible {
  let description: String
  let cells: [String]
}

private func localeRows() -> (names: [String], rows: [LocaleRow]) {
  let file = shared.appending(path: "formats/metrickit-locale-units.tsv")
  guard let text = try? String(contentsOf: file, encoding: .utf8) else { return ([], []) }
  let lines = text.split(separator: "\n").map { $0.components(separatedBy: "\t") }
  return (lines.first ?? [], lines.dropFirst().map { LocaleRow(description: $0[0], cells: $0) })
}

@Test("the units of every locale's table are read", arguments: localeRows().rows)
private func locales(row: LocaleRow) {
  for (name, cell) in zip(localeRows().names, row.cells).dropFirst(2) {
    let words = name.split(separator: " ")
    guard words.count == 2, let number = Double(words[1]) else { continue }
    let scales: [Substring: Double] = [
      "second": 1000, "millisecond": 1, "byte": 1, "kilobyte": 1e3, "megabyte": 1e6, "gigabyte": 1e9,
    ]
    let format: MeasurementFormat = words[0].hasSuffix("second") ? .milliseconds : .bytes
    var text = cell
    let found = text.withUTF8 { ParsedMeasurement(utf8: $0, format) }
    #expect(
      found == ParsedMeasurement(value: number * (scales[words[0]] ?? 0), isAssumed: false), "\(name): \(cell)")
  }
}
