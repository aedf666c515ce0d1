import Testing

@testable import Statistics

@Suite("Bounds on counts of independent events")
struct PoissonTests {
  // E. Pearson and H. Hartley, "Biometrika Tables for Statisticians", table 40: two-sided 95 %.
  @Test(
    "Poisson bounds equal the printed table",
    arguments: [
      (0, 0, 3.69), (1, 0.0253, 5.57), (2, 0.242, 7.22), (3, 0.619, 8.77), (4, 1.09, 10.24), (10, 4.80, 18.39),
      (50, 37.11, 65.92),
    ])
  func table(count: Int, low: Double, high: Double) {
    let bounds = Interval.poisson(count: Double(count), tail: 0.025)
    #expect(abs(bounds.low - low) < 0.006 && abs(bounds.high - high) < 0.006, "\(bounds)")
  }

  @Test("one event never gives a lower rate than no event")
  func order() {
    let highs = (0..<30).map { Interval.poisson(count: Double($0), tail: 0.05).high }
    #expect(zip(highs, highs.dropFirst()).allSatisfy { $0 < $1 })
    #expect(Interval.poisson(count: -1, tail: 0.05).high == -1)
    // Garwood's bounds of so many are those of a normal variable to the last digit that is shown.
    let many = Interval.poisson(count: 1e12, tail: 0.025)
    #expect(abs(many.low - (1e12 - 1.959964e6)) < 10 && abs(many.high - (1e12 + 1.959964e6)) < 10)
  }
}
