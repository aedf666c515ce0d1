import TestSupport
import Testing

@testable import Core
@testable import Ingest

private func read(_ text: String, _ format: MeasurementFormat) -> ParsedMeasurement? {
  var text = text
  return text.withUTF8 { ParsedMeasurement(utf8: $0, format) }
}

@Test(
  "one point or comma before exactly three last digits groups digits, and any other is decimal",
  arguments: [
    ("2.000 kB", 2_000_000), ("2,000 kB", 2_000_000), ("999,999 kB", 999_999_000), ("1.234.567 kB", 1_234_567_000),
    ("1,234,567 kB", 1_234_567_000), ("2.5 kB", 2500), ("2,5 kB", 2500), ("2.50 kB", 2500), ("2.5000 kB", 2500),
    ("12,34,567 kB", 1_234_567_000), ("1,00,000 kB", 100_000_000), ("2.000,5 kB", 2_000_500), ("2,000.5 kB", 2_000_500),
    ("2\u{A0}000,5 kB", 2_000_500), ("2’000.5 kB", 2_000_500), ("٢٫٥ kB", 2500), ("٢٬٠٠٠ kB", 2_000_000),
    ("٢٬٠٠٠٫٥ kB", 2_000_500), ("12.345,678 kB", 12_345_678), ("1٬234٫567 kB", 1_234_567),
    // A group never begins with a zero, and never has four digits before it.
    ("0.125 kB", 125), ("0,125 kB", 125), ("1234.567 kB", 1_234_567),
  ])
func separators(text: String, bytes: Double) {
  #expect(read(text, .bytes) == ParsedMeasurement(value: bytes, isAssumed: false))
}

@Test(
  "separators that no language combines form no number",
  arguments: [
    "1.2.3 kB", "1,2345,678 kB", "1 23 kB", "1,234.567.8 kB", "1.234,567.8 kB", "1,234 567 kB", "12٬34 kB",
    "1'23 kB", "20 kB 30 kB", "5 m2", "1e3 kB", "1 234 5 kB",
  ])
func impossible(text: String) {
  #expect(read(text, .bytes) == nil)
}

@Test("a minus sign may be directly before the number or apart from it, and zero has no sign")
func signs() {
  for text in ["-5 kB", "\u{2212}5 kB", "- 5 kB", "\u{200E}-5 kB", "kB -5", "\u{61C}-٥ kB"] {
    #expect(read(text, .bytes)?.value == -5000, "\(text.debugDescription)")
  }
  for text in ["-0 kB", "\u{2212}0 kB", "-0,0 ko"] { #expect(read(text, .bytes)?.value.sign == .plus) }
}

@Test(
  "a known unit is converted, and an unknown one counts as the key's own unit",
  arguments: [
    ("3 MB", 3e6, false), ("3 GB", 3e9, false), ("3 KiB", 3072, false), ("3 MiB", 3_145_728, false),
    ("3 GiB", 3_221_225_472, false), ("3 byte", 3, false), ("3 ГБ", 3e9, false), ("3 mb", 3e6, false),
    ("3 pints", 3000, true), ("3", 3000, true), ("3 sec", 3000, true), ("ኪባ 3", 3000, true),
  ])
func sizeWords(text: String, bytes: Double, isAssumed: Bool) {
  #expect(read(text, .bytes) == ParsedMeasurement(value: bytes, isAssumed: isAssumed))
}

@Test("measurements in minutes and hours are converted")
func longDurations() {
  let seconds = MeasurementFormat(writtenFor: .seconds)
  for (text, value) in [("2 min", 120), ("2 hr", 7200), ("2 h", 7200), ("2 Min", 120), ("1,500 ms", 1.5)] {
    #expect(read(text, seconds) == ParsedMeasurement(value: value, isAssumed: false), "\(text)")
  }
}

/// The fast path's reading of a text that is in a JSON document, as in a payload.
private func whole(_ text: String, _ format: MeasurementFormat) -> Double? {
  try? Array("[\"\(text)\"]".utf8).withUnsafeBytes { document in
    try JSONParser().withDocument(document) { root in
      for element in try root.array() { return PlainMeasurement.whole(try element.text(), format) }
      return nil
    }
  }
}

@Test("strings from today's devices use the fast path, which needs no table")
func shortWay() {
  #expect(whole("200000 kB", .bytes) == 2e8)
  #expect(whole("1,000 ms", .milliseconds) == 1000)
  #expect(whole("6879 sec", MeasurementFormat(writtenFor: .seconds)) == 6879)
  #expect(whole("50204015744 kiloinstructions", .instructions) == 50_204_015_744_000)
  #expect(whole("1000 ms per s", .hitchRatio) == 1000)
  #expect(whole("12345678 kB", .bytes) == 12_345_678_000)
  #expect(whole("123456789012345 ms", .milliseconds) == 123_456_789_012_345)
  #expect(whole("123,456,789,012 kB", .bytes) == 123_456_789_012_000)
  // The rest is for the tables.
  for text in [
    "200000 KB", "200000kB", "2.000 kB", "2000\u{A0}kB", "", "2", "2 ", "2 k", "2 kBB", "2 kB ", " 2 kB", "kB", "-2 kB",
    "1234,567 kB", "12345678,901 kB", "0,125 kB", "1,23 kB", "1,2345 kB", "1,234, kB", ",123 kB", "1234567890123456 kB",
    "123,456,789,012,345 kB",
  ] { #expect(whole(text, .bytes) == nil, "\(text)") }
}

@Test("the fast path reads the same numbers as the tables, or nothing")
func shortWayAgrees() {
  var random = SeededRandom(seed: 34)
  let formats: [(MeasurementFormat, String)] = [
    (.bytes, "kB"), (.milliseconds, "ms"), (.millisecondsAsSeconds, "ms"), (.hitchRatio, "ms per s"),
    (.instructions, "kiloinstructions"), (MeasurementFormat(writtenFor: .seconds), "sec"),
    (MeasurementFormat(writtenFor: .microseconds), "µs"), (MeasurementFormat(writtenFor: .bars), "bars"),
  ]
  var agreed = 0
  for _ in 0..<6_000 {
    let (format, unit) = formats[Int.random(in: 0..<formats.count, using: &random)]
    var text = (0..<Int.random(in: 1...17, using: &random)).map { _ in
      String(Int.random(in: 0...9, using: &random))
    }.joined()
    if Bool.random(using: &random), text.count > 3 {
      for place in stride(from: text.count - 3, to: 0, by: -3) {
        text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      }
    }
    text += " " + unit
    // One text in four is damaged.
    if Int.random(in: 0..<4, using: &random) == 0 {
      let place = text.index(text.startIndex, offsetBy: Int.random(in: 0..<text.count, using: &random))
      text.replaceSubrange(place...place, with: [",", ".", " ", "7", ":", "/", ""].randomElement(using: &random) ?? "")
    }
    guard let short = whole(text, format) else { continue }
    agreed += 1
    #expect(read(text, format) == ParsedMeasurement(value: short, isAssumed: false), "\(text)")
  }
  #expect(agreed > 3_000)
}
