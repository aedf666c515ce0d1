import Telemetry
import Testing

@testable import Wording

@Suite struct QuantityTests {
  @Test(
    "numbers are read in the unit that suits them, with three digits that count",
    arguments: [
      (1390.25, MetricUnit.milliseconds, "1.39 s"), (812, .milliseconds, "812 ms"), (0.42, .milliseconds, "0.42 ms"),
      (999.6, .milliseconds, "1.00 s"), (99.96, .milliseconds, "100 ms"), (9.996, .milliseconds, "10.0 ms"),
      (150_000, .milliseconds, "2.50 min"), (212_400_000, .bytes, "212 MB"), (512, .bytes, "512 B"),
      (1_040_000_000, .bytes, "1.04 GB"), (830, .microseconds, "830 µs"), (7_200_000, .seconds, "2,000 h"),
      (59.2, .framesPerSecond, "59.2 fps"), (2.6, .secondsPerHour, "2.60 s/h"), (0, .milliseconds, "0.00 ms"),
      (12_480, .count, "12,480"), (4.5, .count, "4.50"), (3.2e12, .count, "3.20 trillion"),
      (0.8, .perThousand, "0.80 per 1,000"), (97.5, .percent, "97.50 %"),
    ])
  func people(value: Double, unit: MetricUnit, expected: String) {
    #expect(spaced(Quantity.text(value, unit)) == expected)
  }

  @Test(
    "a share has more decimals the closer it is to all or nothing, and never rounds to either",
    arguments: [
      (0.9962, "99.62 %"), (0.995, "99.50 %"), (0.99996, "99.996 %"), (0.9999999, "> 99.999 %"), (1, "100 %"),
      (0, "0 %"), (0.0000001, "< 0.001 %"), (0.412, "41.2 %"), (0.0065, "0.65 %"), (0.98712, "98.71 %"),
    ])
  func shares(value: Double, expected: String) { #expect(spaced(Quantity.share(value)) == expected) }

  @Test("what is unknown is a dash, never 0", arguments: [nil, Double.nan, .infinity])
  func unknown(value: Double?) {
    #expect(Quantity.text(value, .milliseconds) == "–")
    #expect(Quantity.exact(value, .milliseconds) == nil)
  }

  @Test("an interval says its unit once, and says when an end is missing")
  func intervals() {
    #expect(spaced(Quantity.interval(1310, 1470, .milliseconds)) == "1.31–1.47 s")
    #expect(spaced(Quantity.interval(812, 1240, .milliseconds)) == "0.81–1.24 s")
    #expect(spaced(Quantity.interval(9000, nil, .milliseconds)) == "≥ 9.00 s")
    #expect(spaced(Quantity.interval(9000, .infinity, .milliseconds)) == "≥ 9.00 s")
    #expect(spaced(Quantity.interval(nil, 0.4, .ratio)) == "≤ 40.0 %")
    #expect(Quantity.interval(nil, nil, .bytes) == "–")
    #expect(spaced(Quantity.interval(0.9913, 0.9994, .ratio)) == "99.13–99.94 %")
    #expect(spaced(Quantity.interval(0.86, 0.9994, .ratio)) == "86.0–99.9 %")
    #expect(spaced(Quantity.interval(0.86, 0.99996, .ratio)) == "86.0–99.996 %")
  }

  @Test("hovering shows the number to its last digit")
  func exact() {
    #expect(Quantity.exact(1390.25, .milliseconds) == "1390.25 ms")
    #expect(Quantity.exact(212_400_000, .bytes) == "212400000 B")
    #expect(Quantity.exact(0.99352, .ratio) == "0.99352")
  }

  @Test(
    "a limit is as short as it can be said",
    arguments: [
      (2000, MetricUnit.milliseconds, "2 s"), (0.995, .ratio, "99.5 %"), (16.67, .milliseconds, "16.67 ms"),
      (300e6, .bytes, "300 MB"), (5, .secondsPerHour, "5 s/h"), (0.001, .ratio, "0.1 %"),
    ])
  func limits(value: Double, unit: MetricUnit, expected: String) {
    #expect(spaced(Quantity.limit(value, unit)) == expected)
  }

  @Test("numbers beyond what an integer holds do not trap")
  func huge() {
    for unit in MetricUnit.allCases {
      for value in [1e300, -1e300, Double.greatestFiniteMagnitude, 1e-300] {
        #expect(!Quantity.text(value, unit).isEmpty)
        #expect(!Quantity.limit(value, unit).isEmpty)
        #expect(Quantity.exact(value, unit) != nil)
      }
    }
    #expect(Decimal.grouped(.min) == "−9,223,372,036,854,775,808")
  }

  private func spaced(_ text: String) -> String { String(text.map { $0 == "\u{A0}" ? " " : $0 }) }
}
