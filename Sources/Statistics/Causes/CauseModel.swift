#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A model of the events of all cells of a `CauseTable`: one common ratio, and one factor for each known cause.
///
/// With a base it is a logistic regression whose offset is the ratio of the uses; without one a Poisson regression.
struct CauseModel {
  /// The common logarithm, then one for each cause.
  private(set) var coefficients: [Double]
  /// The inverse of the information matrix.
  private(set) var covariance: [[Double]] = []
  /// The expected events of each cell and their variance.
  private(set) var means: [Double] = []
  private(set) var variances: [Double] = []
  private let isInside: [[Bool]]

  /// Fits the model; nil if the events do not suffice. `causes`: for each cause, whether each cell is inside.
  init?(_ cells: [CauseTable.Cell], causes: [[Bool]]) {
    isInside = causes
    let events = cells.reduce(0) { $0 + $1.events }
    let others = cells.reduce(0) { $0 + ($1.total.map { $0 } ?? .infinity) } - events
    guard events > 0, others > 0 else { return nil }
    coefficients = [Double](repeating: 0, count: causes.count + 1)
    coefficients[0] = Self.start(cells, events)
    for _ in 0..<Self.mostSteps {
      evaluate(cells)
      let (gradient, information) = derivatives(cells)
      guard let inverse = Self.inverse(information) else { return nil }
      covariance = inverse
      let step = inverse.map { row in zip(row, gradient).reduce(0) { $0 + $1.0 * $1.1 } }
      let largest = step.reduce(0) { max($0, abs($1)) }
      guard largest.isFinite else { return nil }
      // A long step may overshoot.
      let scale = min(1, Self.longestStep / max(largest, .leastNormalMagnitude))
      for index in step.indices { coefficients[index] += scale * step[index] }
      if largest < 1e-8 { break }
    }
    evaluate(cells)
    guard means.allSatisfy(\.isFinite) else { return nil }
  }

  /// The variance of the logarithms of factors that is assumed beforehand, so that a part with all of the events, or
  /// without any on the base, has a finite factor. It hardly changes others: 3 means factors up to e^±6.
  private static let spread = 9.0
  private static let mostSteps = 60
  private static let longestStep = 2.0

  private static func start(_ cells: [CauseTable.Cell], _ events: Double) -> Double {
    let use = cells.reduce(0) { $0 + $1.use }
    let (base, baseUse) = cells.reduce((0.0, 0.0)) { ($0.0 + ($1.base?.events ?? 0), $0.1 + ($1.base?.use ?? 0)) }
    return baseUse > 0 ? log(events / use) - log(base / baseUse) : log(events / use)
  }

  private mutating func evaluate(_ cells: [CauseTable.Cell]) {
    means = [Double](repeating: 0, count: cells.count)
    variances = means
    for (index, cell) in cells.enumerated() {
      var linear = cell.offset + coefficients[0]
      for cause in isInside.indices where isInside[cause][index] { linear += coefficients[cause + 1] }
      if let total = cell.total {
        let share = 1 / (1 + exp(-linear))
        means[index] = total * share
        variances[index] = total * share * (1 - share)
      } else {
        means[index] = exp(min(linear, 700))
        variances[index] = means[index]
      }
    }
  }

  private func derivatives(_ cells: [CauseTable.Cell]) -> (gradient: [Double], information: [[Double]]) {
    let count = coefficients.count
    var gradient = [Double](repeating: 0, count: count)
    var information = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
    for (index, cell) in cells.enumerated() {
      let rest = cell.events - means[index]
      for row in 0..<count where applies(row, to: index) {
        gradient[row] += rest
        for column in 0...row where applies(column, to: index) { information[row][column] += variances[index] }
      }
    }
    for row in 1..<max(1, count) {
      gradient[row] -= coefficients[row] / Self.spread
      information[row][row] += 1 / Self.spread
    }
    for row in 0..<count { for column in 0..<row { information[column][row] = information[row][column] } }
    return (gradient, information)
  }

  private func applies(_ coefficient: Int, to cell: Int) -> Bool { coefficient == 0 || isInside[coefficient - 1][cell] }

  /// The ratio of a cause's change to that of the rest, with a 95 % interval.
  func ratio(of cause: Int) -> RatioInterval { factor(cause + 1) }

  /// The common ratio of head and base; without a base, the rate.
  var common: RatioInterval { factor(0) }

  private func factor(_ index: Int) -> RatioInterval {
    let value = coefficients[index]
    let reach = 1.96 * max(0, covariance[index][index]).squareRoot()
    return RatioInterval(value: exp(value), low: exp(value - reach), high: exp(value + reach))
  }

  /// The variance of the events of a part, given that the common ratio and the factors of known causes were estimated
  /// from the same events. `sums`: the sum of the variances within the part, and within the part and each known cause.
  func scoreVariance(_ sums: [Double]) -> Double {
    var removed = 0.0
    for (row, line) in covariance.enumerated() {
      for (column, value) in line.enumerated() { removed += sums[row] * value * sums[column] }
    }
    return sums[0] - removed
  }

  /// The inverse of a small symmetric matrix, by Gauss and Jordan; nil if it is singular.
  private static func inverse(_ matrix: [[Double]]) -> [[Double]]? {
    let count = matrix.count
    var rows = matrix.enumerated().map { index, row in row + (0..<count).map { $0 == index ? 1 : 0 } }
    for pivot in 0..<count {
      guard let best = (pivot..<count).max(by: { abs(rows[$0][pivot]) < abs(rows[$1][pivot]) }),
        abs(rows[best][pivot]) > 1e-9
      else { return nil }
      rows.swapAt(pivot, best)
      let scale = 1 / rows[pivot][pivot]
      for column in rows[pivot].indices { rows[pivot][column] *= scale }
      for other in 0..<count where other != pivot && rows[other][pivot] != 0 {
        let factor = rows[other][pivot]
        for column in rows[other].indices { rows[other][column] -= factor * rows[pivot][column] }
      }
    }
    return rows.map { Array($0[count...]) }
  }
}
