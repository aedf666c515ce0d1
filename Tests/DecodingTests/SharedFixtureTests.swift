import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// Collected documents beside the repository, read in place. Tests of those that are missing are skipped, and say so.
enum Collected {
  static let payloads = Checkout.collected("fixtures/metrickit/metric")
  static let locales = Checkout.collected("formats/metrickit-locale-units.tsv")

  static func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

  static func files(in folder: URL) -> [URL] {
    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  }
}

@Test(
  "collected metric payloads are read without a warning",
  .enabled(if: Collected.exists(Collected.payloads), "There are no collected payloads beside the repository."),
  arguments: Collected.files(in: Collected.payloads))
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
  guard let text = try? String(contentsOf: Collected.locales, encoding: .utf8) else { return ([], []) }
  let lines = text.split(separator: "\n").map { $0.components(separatedBy: "\t") }
  return (lines.first ?? [], lines.dropFirst().map { LocaleRow(description: $0[0], cells: $0) })
}

@Test(
  "the units of every locale's table are read",
  .enabled(if: Collected.exists(Collected.locales), "The table of locales is not beside the repository."),
  arguments: localeRows().rows)
private func locales(row: LocaleRow) {
  #expect(row.cells.count > 10)
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
