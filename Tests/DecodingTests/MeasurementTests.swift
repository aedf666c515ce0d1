import Testing

@testable import Core
@testable import Ingest

private func measurement(_ text: String, _ format: MeasurementFormat) -> ParsedMeasurement? {
  var text = text
  return text.withUTF8 { ParsedMeasurement(utf8: $0, format) }
}

@Test(
  "durations in the languages of iOS are read, in milliseconds",
  arguments: [
    ("820 ms", 820), ("1,190,070 ms", 1_190_070), ("1190070 ms", 1_190_070), ("1,530毫秒", 1530), ("64秒", 64_000),
    ("20 secs.", 20_000), ("20 Sek.", 20_000), ("1.234.567 ms", 1_234_567), ("12,34,567 ms", 1_234_567),
    ("1\u{A0}234\u{A0}567\u{A0}мс", 1_234_567), ("1\u{202F}234 ms", 1234), ("1'234'567 ms", 1_234_567),
    ("1’234 ms", 1234), ("١٬٢٣٤٬٥٦٧ ملي ث", 1_234_567), ("۱٬۲۳۴ میلی\u{200C}ثانیه", 1234), ("१२,३४,५६७ मिलिसे", 1_234_567),
    ("sekunde 20", 20_000), ("ms 1,234,567", 1_234_567), ("1,5 s", 1500), ("0.125 s", 125), ("0,5 s", 500),
    ("1.5 ms", 1.5), ("1234.567 ms", 1234.567), ("1,234.5 ms", 1234.5), ("1.234,5 ms", 1234.5), ("١٫٥ ث", 1500),
    ("\u{200F}20\u{200E} ms", 20), ("2 min", 120_000), ("20ms", 20), ("-5 ms", -5), ("\u{2212}5 ms", -5), ("+5 ms", 5),
    ("2.000 ms", 2000), ("500 µs", 0.5), ("၂၀ sec", 20_000), ("20 MS", 20), ("1 h", 3_600_000),
  ])
func durations(text: String, expected: Double) {
  #expect(measurement(text, .milliseconds) == ParsedMeasurement(value: expected, isAssumed: false))
}

@Test(
  "sizes in the languages of iOS are read, in bytes, with decimal prefixes",
  arguments: [
    ("200000 kB", 2e8), ("79\u{A0}041 кБ", 79_041_000), ("1,106,818千字节", 1_106_818_000), ("20 ko", 20_000),
    ("2.000 byte", 2000), ("2,000 byte", 2000), ("kB\u{200F}1", 1000), ("kilobaiti 20", 20_000), ("20 Mo", 2e7),
    ("3 GB", 3e9), ("2 KiB", 2048), ("20 կԲ", 20_000), ("5 B", 5), ("1 бAйT", 1000),
  ])
func sizes(text: String, expected: Double) {
  let isUnknown = text.hasSuffix("бAйT")
  #expect(measurement(text, .bytes) == ParsedMeasurement(value: expected, isAssumed: isUnknown))
}

@Test("seconds are the nearest double to the written milliseconds")
func exactSeconds() {
  #expect(measurement("30530 ms", .millisecondsAsSeconds)?.value == 30.53)
  #expect(measurement("1,001 ms", .millisecondsAsSeconds)?.value == 1.001)
}

@Test("units that are never translated are read")
func customUnits() {
  #expect(measurement("1,000 ms per s", .hitchRatio) == ParsedMeasurement(value: 1000, isAssumed: false))
  #expect(measurement("50204015744 kiloinstructions", .instructions)?.value == 50_204_015_744_000)
  #expect(
    measurement("3 bars", MeasurementFormat(writtenFor: .bars)) == ParsedMeasurement(value: 3, isAssumed: false))
  #expect(measurement("50 apl", MeasurementFormat(writtenFor: .averagePixelLuminance))?.isAssumed == false)
}

@Test(
  "a text without a number in a known style is not a measurement", arguments: ["", "ms", "1,23,4.5.6 ms", "- ms"])
func noMeasurement(text: String) {
  #expect(measurement(text, .milliseconds) == nil)
}
