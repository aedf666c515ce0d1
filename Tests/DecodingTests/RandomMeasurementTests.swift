import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// The digit zero of scripts whose digits people count with.
private let zeros: [UInt32] = [
  0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040,
  0x17E0, 0x1810, 0xFF10, 0x1E950,
]
private let groupings = [
  "", ",", ".", "'", "\u{2019}", " ", "\u{A0}", "\u{202F}", "\u{2009}", "\u{66C}",
]
private let spaces = ["", " ", "\u{A0}", "\u{202F}", "\u{2009}", "\u{200F}", " \u{200E}"]
private let words: [(String, Double)] = [
  ("sec", 1), ("秒", 1), ("с", 1), ("Sek.", 1), ("ث", 1), ("से॰", 1), ("sekunde", 1), ("min", 60), ("hr", 3600),
  ("SECS", 1), ("giây", 1), ("שנ׳", 1), ("विनाशब्द", 1),
]

/// A number written in a style nobody may have thought of, and what it is in seconds.
private func randomText(_ random: inout SeededRandom) -> (text: String, seconds: Double, isKnown: Bool) {
  let whole = Int.random(in: 0..<1 << Int.random(in: 1...35, using: &random), using: &random)
  let grouping = groupings.randomElement(using: &random) ?? ""
  let isIndian = Bool.random(using: &random)
  var text = ""
  for (position, digit) in String(whole).reversed().enumerated() {
    let isBoundary = isIndian && position > 3 ? (position - 3) % 2 == 0 : position > 0 && position % 3 == 0
    text = "\(digit)\(isBoundary ? grouping : "")\(text)"
  }
  var value = Double(whole)
  if Int.random(in: 0..<4, using: &random) == 0 {
    // Never three digits, which would be a group.
    let (digits, size) = Bool.random(using: &random) ? ("25", 0.25) : ("5", 0.5)
    text += (["٫"] + [".", ","].filter { $0 != grouping }).randomElement(using: &random) ?? "٫"
    text += digits
    value += size
  }
  let zero = zeros.randomElement(using: &random) ?? 48
  let number = LocaleStyle.string(
    text.unicodeScalars.map { (48...57).contains($0.value) ? Unicode.Scalar(zero + $0.value - 48) ?? $0 : $0 })
  let (word, size) = words.randomElement(using: &random) ?? ("sec", 1)
  let space = spaces.randomElement(using: &random) ?? " "
  let isUnitFirst = Bool.random(using: &random)
  return (isUnitFirst ? word + space + number : number + space + word, value * size, word != "विनाशब्द")
}

private func report(_ text: String, with decoder: PayloadDecoder) throws -> Report {
  let reports = try decode(
    #"{"timeStampBegin": "2026-11-18 00:00:00", "gpuMetrics": {"cumulativeGPUTime": "\#(text)"}}"#, with: decoder)
  return try #require(reports.first)
}

@Test("a number in any digits, groups, order and spaces is read, and only an unknown unit warns", arguments: 0..<4)
func randomStyles(seed: Int) throws {
  var random = SeededRandom(seed: UInt64(seed))
  let decoder = PayloadDecoder()
  for _ in 0..<1500 {
    let (text, seconds, isKnown) = randomText(&random)
    let report = try report(text, with: decoder)
    #expect(report.values("gpu.time") == [.counter(seconds)], "\(text.debugDescription)")
    #expect(report.unknownUnits == (isKnown ? 0 : 1) && report.rejectedSamples == 0, "\(text.debugDescription)")
  }
}

private let alphabet = Array("0123456789٣۴५৬၇.,' ’٬٫-−+\u{A0}\u{202F}\u{200F}\u{200C}smkBсث秒e%".unicodeScalars)

private func randomGarbage(_ random: inout SeededRandom) -> String {
  let isAnything = Int.random(in: 0..<4, using: &random) == 0
  let scalars = (0..<Int.random(in: 0...30, using: &random)).map { _ -> Unicode.Scalar in
    let scalar = isAnything ? Unicode.Scalar(UInt32.random(in: 0x20...0x10FFFF, using: &random)) : nil
    return scalar ?? alphabet.randomElement(using: &random) ?? "0"
  }
  return LocaleStyle.string(scalars.filter { $0 != "\"" && $0 != "\\" })
}

@Test("anything in place of a measurement is a number of at least zero, or rejected", arguments: 0..<4)
func randomTexts(seed: Int) throws {
  var random = SeededRandom(seed: UInt64(seed) &+ 100)
  let decoder = PayloadDecoder()
  var accepted = 0
  for _ in 0..<3000 {
    let text = randomGarbage(&random)
    let report = try report(text, with: decoder)
    if report.rejectedSamples == 1 {
      #expect(report.measurements.isEmpty)
    } else {
      accepted += 1
      guard case .counter(let value)? = report.values("gpu.time").first else {
        Issue.record("neither read nor rejected: \(text.debugDescription)")
        continue
      }
      #expect(value >= 0 && value.sign == .plus && value <= 1e15, "\(text.debugDescription)")
    }
  }
  #expect(accepted > 50 && accepted < 2900)
}

@Test("texts far longer than a measurement are rejected")
func longTexts() throws {
  let decoder = PayloadDecoder()
  for unit in ["1", "1,", "٣", "\u{A0}", "秒", "-"] {
    let report = try report("7 " + String(repeating: unit, count: 100_000), with: decoder)
    #expect(report.rejectedSamples == 1 && report.measurements.isEmpty)
  }
}
