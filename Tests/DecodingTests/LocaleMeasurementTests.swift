import Testing

@testable import Core
@testable import Ingest

private let values = [
  0, 1, 2, 5, 20, 100, 999, 1000, 1010, 1530, 9999, 12_345, 79_041, 100_000, 1_106_818, 1_190_070, 1_234_567,
  10_000_000, 987_654_321, 3_990_413_161,
]

private func measurement(_ text: String, _ format: MeasurementFormat) -> ParsedMeasurement? {
  var text = text
  return text.withUTF8 { ParsedMeasurement(utf8: $0, format) }
}

private func read(_ text: String, _ unit: LocaleStyle.Unit) -> ParsedMeasurement? {
  measurement(text, unit.isDuration ? .milliseconds : .bytes)
}

@Test("every number in every unit of a locale is read back, with or without grouping", arguments: LocaleStyle.all)
func wholeNumbers(style: LocaleStyle) {
  for unit in LocaleStyle.Unit.allCases {
    for value in values {
      let expected = ParsedMeasurement(value: Double(value) * unit.size, isAssumed: false)
      for text in [style.text(value, unit), style.text(value, unit, isGrouped: false)] {
        #expect(read(text, unit) == expected, "\(text)")
      }
    }
  }
}

@Test(
  "the space before a unit may be any or none, and direction marks may be anywhere", arguments: LocaleStyle.all)
func spacesAndMarks(style: LocaleStyle) {
  for unit in LocaleStyle.Unit.allCases {
    let pattern = style.pattern(unit, isOne: false)
    let word = pattern.replacing("#", with: "").trimming
    var variants = [" ", "\u{A0}", "\u{202F}", "\u{2009}", ""].flatMap { ["#\($0)\(word)", "\(word)\($0)#"] }
    variants += ["\u{200F}\(pattern)", "\u{2068}\(pattern)\u{2069}", pattern.replacing("#", with: "\u{200E}#\u{200E}")]
    variants += ["\u{61C}\(word)\u{A0}#", "  \(pattern) "]
    for variant in variants {
      for value in [7, 64_000, 1_234_567] {
        let text = style.text(value, variant)
        #expect(
          read(text, unit) == ParsedMeasurement(value: Double(value) * unit.size, isAssumed: false),
          "\(text.debugDescription)")
      }
    }
  }
}

@Test("MetricKit's own units stay English after a locale's number", arguments: LocaleStyle.all)
func customUnits(style: LocaleStyle) {
  let formats: [(String, MeasurementFormat, Double)] = [
    ("# bars", MeasurementFormat(writtenFor: .bars), 1),
    ("# apl", MeasurementFormat(writtenFor: .averagePixelLuminance), 1),
    ("# kiloinstructions", .instructions, 1000), ("# ms per s", .hitchRatio, 1),
  ]
  for (pattern, format, size) in formats {
    for value in values {
      let text = style.text(value, pattern)
      #expect(measurement(text, format) == ParsedMeasurement(value: Double(value) * size, isAssumed: false), "\(text)")
    }
  }
}

@Test("fractions are read with the locale's decimal separator", arguments: LocaleStyle.all)
func fractions(style: LocaleStyle) throws {
  let pattern = style.pattern(.second, isOne: false)
  let long = try #require(read(pattern.replacing("#", with: style.example), .second))
  #expect(abs(long.value - 1_234_567_890) < 1e-3 && !long.isAssumed)
  for (whole, fraction, expected) in [(0, 5, 0.5), (1, 25, 1.25), (12, 5, 12.5), (999, 75, 999.75)] {
    let number = "\(style.number(whole))\(style.decimal)\(style.number(fraction))"
    let found = read(pattern.replacing("#", with: number), .second)
    #expect(found == ParsedMeasurement(value: expected * 1000, isAssumed: false), "\(number)")
  }
}

@Test("every unit word of the tables is read in upper and lower case")
func letterCase() {
  for (units, dimension) in [(UnitWords.durations, UnitDimension.duration), (UnitWords.sizes, .information)] {
    for (scale, words) in units {
      for word in words {
        for spelling in [word, word.uppercased(), word.lowercased()] {
          #expect(UnitWords.scale(of: spelling, dimension) == scale, "\(spelling)")
        }
      }
    }
  }
}

extension String {
  /// Without white space at its ends.
  fileprivate var trimming: String {
    let scalars = Array(unicodeScalars)
    let marks: Set<Unicode.Scalar> = [" ", "\u{A0}", "\u{202F}", "\u{200F}"]
    guard let first = scalars.firstIndex(where: { !marks.contains($0) }),
      let last = scalars.lastIndex(where: { !marks.contains($0) })
    else { return "" }
    return LocaleStyle.string(scalars[first...last])
  }
}
