import Testing

@testable import Statistics

@Suite("Special functions compared with SciPy")
struct SpecialFunctionsTests {
  private func isClose(_ value: Double, _ truth: Double, relative: Double, absolute: Double = 1e-300) -> Bool {
    value == truth || abs(value - truth) <= max(relative * abs(truth), absolute)
  }

  @Test("the incomplete beta function equals SciPy's for shapes from 0.05 to a million")
  func beta() {
    for row in ScipyReference.beta {
      let value = SpecialFunctions.regularizedIncompleteBeta(row[0], row[1], row[2])
      #expect(isClose(value, row[3], relative: 1e-9, absolute: 1e-14), "\(row) \(value)")
    }
  }

  @Test("quantiles of the beta distribution equal SciPy's, however close to 0 or 1")
  func betaQuantile() {
    for row in ScipyReference.betaQuantile {
      let value = SpecialFunctions.betaQuantile(row[0], row[1], row[2])
      #expect(isClose(value, row[3], relative: 1e-9), "\(row) \(value)")
    }
  }

  @Test("the upper tail of the F distribution equals SciPy's")
  func fTail() {
    for row in ScipyReference.fTail {
      let value = SpecialFunctions.fDistributionUpperTail(row[0], row[1], row[2])
      #expect(isClose(value, row[3], relative: 1e-8, absolute: 1e-14), "\(row) \(value)")
    }
  }

  @Test("Student's t quantiles equal SciPy's, from one degree of freedom to a hundred million")
  func tQuantile() {
    for row in ScipyReference.tQuantile {
      let value = SpecialFunctions.studentTQuantile(row[0], row[1])
      #expect(isClose(value, row[2], relative: 1e-8, absolute: 1e-12), "\(row) \(value)")
    }
  }

  /// scipy.stats.norm.ppf, all digits of a double.
  @Test(
    "quantiles of the normal distribution equal SciPy's to the last digits",
    arguments: [
      (0.6, 0.2533471031357997), (0.9, 1.2815515655446004), (0.95, 1.6448536269514722), (0.975, 1.959963984540054),
      (0.99, 2.3263478740408408), (0.999, 3.090232306167813),
    ])
  func normalQuantile(probability: Double, truth: Double) {
    #expect(isClose(SpecialFunctions.normalQuantile(probability), truth, relative: 2e-14))
    #expect(isClose(SpecialFunctions.normalQuantile(1 - probability), -truth, relative: 2e-14))
    #expect(SpecialFunctions.normalQuantile(0.5).magnitude < 1e-15)
  }

  @Test("the logarithm of the gamma function equals SciPy's")
  func logGamma() {
    for row in ScipyReference.logGamma {
      #expect(isClose(SpecialFunctions.logGamma(row[0]), row[1], relative: 1e-13, absolute: 1e-13), "\(row)")
    }
  }

  @Test("invalid arguments of special functions give NaN and never a trap")
  func nonsense() {
    #expect(SpecialFunctions.betaQuantile(0.5, -1, 2).isNaN)
    #expect(SpecialFunctions.regularizedIncompleteBeta(0.5, 0, 2).isNaN)
    #expect(SpecialFunctions.studentTQuantile(1, 3).isNaN)
    #expect(SpecialFunctions.logGamma(-1).isNaN)
    #expect(SpecialFunctions.fDistributionUpperTail(.nan, 1, 1).isNaN)
  }
}
