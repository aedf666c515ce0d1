import Testing

@testable import Statistics

@Suite("Bins")
struct BinSchemeTests {
  @Test("bin indices equal OpenTelemetry's at scale 6, computed with 60 digits")
  func indices() {
    for row in ScipyReference.indices {
      #expect(BinScheme.logarithmic.index(of: row[0]) == Int32(row[1]), "\(row[0])")
    }
  }

  @Test("a power of two is in the bin of which it is the upper bound")
  func powers() {
    for exponent in -1021...1023 {
      let power = Double(sign: .plus, exponent: exponent, significand: 1)
      let index = BinScheme.logarithmic.index(of: power)
      #expect(BinScheme.logarithmic.bounds(of: index).high == power)
      #expect(BinScheme.logarithmic.index(of: power.nextUp) == index + 1)
    }
  }

  @Test("bounds, value and index agree in every bin", arguments: [BinScheme.logarithmic, .integer])
  func roundTrip(scheme: BinScheme) {
    for index in Int32(1)...20_000 {
      let bounds = scheme.bounds(of: index)
      #expect(scheme.index(of: scheme.value(of: index)) == index)
      #expect(scheme.bounds(of: index + 1).low == bounds.high)
      if scheme == .logarithmic { #expect(scheme.index(of: bounds.high) == index) }
      let value = scheme.value(of: index)
      if index > 128 || scheme == .logarithmic {
        #expect((bounds.high - value) / bounds.high <= 0.0055 && (value - bounds.low) / bounds.low <= 0.0055)
      }
    }
  }

  @Test("whole numbers up to 128 have exact bins, and larger ones continue in order")
  func integers() {
    var previous: Int32 = 0
    for whole in 1...100_000 {
      let index = BinScheme.integer.index(of: Double(whole))
      if whole <= 128 {
        #expect(index == Int32(whole))
        #expect(BinScheme.integer.value(of: index) == Double(whole))
      }
      #expect(index >= previous && index - previous <= 1)
      #expect(abs(BinScheme.integer.value(of: index) - Double(whole)) <= 0.0055 * Double(whole))
      previous = index
    }
    #expect(BinScheme.integer.index(of: 4.4) == 4)
    #expect(BinScheme.integer.index(of: 0.4) == 0)
  }

  @Test("no bin index or value causes a trap", arguments: [BinScheme.logarithmic, .integer])
  func extremes(scheme: BinScheme) {
    for index in [Int32.min, -70_000, -1, 0, 70_000, .max] {
      #expect(scheme.bounds(of: index).low <= scheme.bounds(of: index).high)
      #expect(scheme.value(of: index).isFinite)
    }
    for value in [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan, -1] {
      _ = scheme.index(of: value)
    }
  }
}
