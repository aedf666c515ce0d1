import Testing

@testable import Analysis
@testable import Core

@Suite struct QuantityTests {
  @Test(
    "numbers are shown in a suitable unit with three significant digits",
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
    "a share has more decimals the closer it is to 0 or 100 %, and never rounds to either",
    arguments: [
      (0.9962, "99.62 %"), (0.995, "99.50 %"), (0.99996, "99.996 %"), (0.9999999, "> 99.999 %"), (1, "100 %"),
      (0, "0 %"), (0.0000001, "< 0.001 %"), (0.412, "41.2 %"), (0.0065, "0.65 %"), (0.98712, "98.71 %"),
    ])
  func shares(value: Double, expected: String) { #expect(spaced(Quantity.share(value)) == expected) }

  @Test("an unknown quantity is a dash, never 0", arguments: [nil, Double.nan, .infinity])
  func unknown(value: Double?) {
    #expect(Quantity.text(value, .milliseconds) == "–")
    #expect(Quantity.exact(value, .milliseconds) == nil)
  }

  @Test("an interval shows its unit once, and shows a missing end")
  func intervals() {
    #expect(spaced(Quantity.interval(1310, 1470, .milliseconds)) == "1.31–1.47 s")
    #expect(spaced(Quantity.interval(812, 1240, .milliseconds)) == "0.81–1.24 s")
    #expect(spaced(Quantity.interval(9000, nil, .milliseconds)) == "≥ 9.00 s")
    #expect(spaced(Quantity.interval(9000, .infinity, .milliseconds)) == "≥ 9.00 s")
    #expect(spaced(Quantity.interval(nil, 0.4, .ratio)) == "≤ 40.0 %")
    #expect(Quantity.interval(nil, nil, .bytes) == "–")
    #expect(spaced(Quantity.interval(0.9913, 0.9994, .ratio)) == "99.1–99.9 %")
    #expect(spaced(Quantity.interval(0.86, 0.9994, .ratio)) == "86.0–99.9 %")
    #expect(spaced(Quantity.interval(0.86, 0.99996, .ratio)) == "86.000–99.996 %")
  }

  @Test(
    "a number and its interval have one unit and equal decimals, which the interval's width determines",
    arguments: [
      ((1390.0, 1331.0, 1452.0), MetricUnit.milliseconds, "1.39 s", "1.33–1.45 s"),
      ((960, 850, 1100), .milliseconds, "0.96 s", "0.85–1.10 s"),
      ((412, 398, 431), .milliseconds, "412 ms", "398–431 ms"),
      ((212.4e6, 205.2e6, 221.3e6), .bytes, "212 MB", "205–221 MB"),
      ((1390, 1389.2, 1390.9), .milliseconds, "1.390 s", "1.389–1.391 s"),
      ((1390, 200, 30_000), .milliseconds, "1.4 s", "0.2–30.0 s"),
      ((0.9981, 0.9974, 0.9987), .ratio, "99.81 %", "99.74–99.87 %"),
      ((0.975, 0.887, 0.9987), .ratio, "97.5 %", "88.7–99.9 %"), ((0.41, 0.31, 0.52), .ratio, "41 %", "31–52 %"),
      ((0.9999, 0.9991, 0.999999), .ratio, "99.990 %", "99.910–> 99.999 %"), ((12, 8, 17.3), .count, "12", "8–17"),
      ((2.6, 2.2, 3.1), .secondsPerHour, "2.6 s/h", "2.2–3.1 s/h"),
    ])
  func alike(numbers: (Double, Double, Double), unit: MetricUnit, value: String, interval: String) {
    let estimate = Estimate(value: numbers.0, low: numbers.1, high: numbers.2)
    #expect(spaced(Quantity.text(estimate, unit)) == value)
    #expect(spaced(Quantity.interval(estimate, unit)) == interval)
  }

  @Test("a number whose interval has one end is written like that end")
  func oneEnd() {
    let open = Estimate(value: 9120, low: 8800, isAtLeast: true)
    #expect(spaced(Quantity.text(open, .milliseconds)) == "≥ 9.12 s")
    #expect(spaced(Quantity.interval(open, .milliseconds)) == "≥ 8.80 s")
    #expect(spaced(Quantity.text(Estimate(value: 1390.25), .milliseconds)) == "1.39 s")
    #expect(Quantity.text(.unknown, .milliseconds) == "–" && Quantity.text(nil as Estimate?, .ratio) == "–")
  }

  @Test("hovering shows the number to its last digit")
  func exact() {
    #expect(Quantity.exact(1390.25, .milliseconds) == "1390.25 ms")
    #expect(Quantity.exact(212_400_000, .bytes) == "212400000 B")
    #expect(Quantity.exact(0.99352, .ratio) == "0.99352")
  }

  @Test(
    "a limit is written as briefly as possible",
    arguments: [
      (2000, MetricUnit.milliseconds, "2 s"), (0.995, .ratio, "99.5 %"), (16.67, .milliseconds, "16.67 ms"),
      (300e6, .bytes, "300 MB"), (5, .secondsPerHour, "5 s/h"), (0.001, .ratio, "0.1 %"),
    ])
  func limits(value: Double, unit: MetricUnit, expected: String) {
    #expect(spaced(Quantity.limit(value, unit)) == expected)
  }

  @Test("numbers beyond every integer cause no trap")
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
