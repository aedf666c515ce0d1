import Core

/// The cumulative number of values up to each x. The curve jumps at single values and rises linearly over spans.
struct CumulativeCurve: Sendable {
  /// A number of values at exactly one position x.
  struct Point {
    var x: Double
    var count: Int
  }

  /// A point at which the curve jumps or changes its slope.
  struct Knot {
    var x: Double
    /// The number of values below the knot's x.
    var before: Double
    /// The number of values up to and including the knot's x.
    var after: Double
    /// The number of values per unit of x between this knot and the next.
    var density: Double
  }

  private(set) var knots: [Knot] = []

  /// Builds the curve. Spans must be finite and wider than 0.
  init(points: [Point], spans: [Span] = []) {
    if spans.isEmpty, let steps = Self.steps(points) {
      knots = steps
      return
    }
    if points.isEmpty, let slopes = Self.slopes(spans) {
      knots = slopes
      return
    }
    var sweep = Sweep()
    for event in Self.events(points, spans) { sweep.take(event) }
    knots = sweep.knots
  }

  var total: Double { knots.last?.after ?? 0 }

  func count(atMost x: Double) -> Double {
    guard let knot = lastKnot(atMost: x) else { return 0 }
    if knots[knot].x == x { return knots[knot].after }
    return rise(from: knot, to: x)
  }

  func count(below x: Double) -> Double {
    guard let knot = lastKnot(atMost: x) else { return 0 }
    if knots[knot].x == x { return knots[knot].before }
    return rise(from: knot, to: x)
  }

  /// The smallest x with at least `rank` values up to it; nil if there are no values.
  func value(atRank rank: Double) -> Double? {
    guard let last = knots.last else { return nil }
    let slack = last.after * 1e-12 + 1e-9
    let index = firstKnot { $0.after >= rank - slack }
    guard index < knots.count else { return last.x }
    let knot = knots[index]
    guard index > 0, rank - slack <= knot.before else { return knot.x }
    let previous = knots[index - 1]
    guard previous.density > 0 else { return knot.x }
    return min(knot.x, max(previous.x, previous.x + (rank - previous.after) / previous.density))
  }

  private func rise(from knot: Int, to x: Double) -> Double {
    let start = knots[knot]
    guard knot + 1 < knots.count, start.density > 0 else { return start.after }
    return min(knots[knot + 1].before, start.after + start.density * (x - start.x))
  }

  private func lastKnot(atMost x: Double) -> Int? {
    let index = firstKnot { $0.x > x }
    return index > 0 ? index - 1 : nil
  }

  /// The index of the first knot for which a condition holds; the number of knots if it never holds. It must hold for
  /// all knots after the first.
  private func firstKnot(where holds: (Knot) -> Bool) -> Int {
    var low = 0
    var high = knots.count
    while low < high {
      let middle = (low + high) / 2
      if holds(knots[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension CumulativeCurve {
  /// The knots of ascending single values; nil if they do not ascend.
  private static func steps(_ points: [Point]) -> [Knot]? {
    var knots: [Knot] = []
    knots.reserveCapacity(points.count)
    var complete = 0.0
    for point in points {
      if let last = knots.last, last.x >= point.x { return nil }
      complete += Double(point.count)
      knots.append(Knot(x: point.x, before: complete - Double(point.count), after: complete, density: 0))
    }
    return knots
  }

  /// The knots of ascending spans that do not overlap, like a client's buckets; nil for other spans.
  private static func slopes(_ spans: [Span]) -> [Knot]? {
    var knots: [Knot] = []
    knots.reserveCapacity(2 * spans.count)
    var complete = 0.0
    for span in spans {
      let density = Double(span.count) / (span.high - span.low)
      guard density.isFinite, knots.last.map({ $0.x <= span.low }) ?? true else { return nil }
      if knots.last?.x == span.low {
        knots[knots.count - 1].density = density
      } else {
        knots.append(Knot(x: span.low, before: complete, after: complete, density: density))
      }
      complete += Double(span.count)
      knots.append(Knot(x: span.high, before: complete, after: complete, density: 0))
    }
    return knots
  }

  /// The changes of the curve at one x: single values, and spans that begin or end there.
  private struct Event {
    var x: Double
    var jump = 0
    var ended = 0
    var density = 0.0
    var active = 0
  }

  private static func events(_ points: [Point], _ spans: [Span]) -> [Event] {
    var events: [Event] = []
    events.reserveCapacity(points.count + 2 * spans.count)
    for point in points { events.append(Event(x: point.x, jump: point.count)) }
    for span in spans {
      let density = Double(span.count) / (span.high - span.low)
      guard density.isFinite else {
        events.append(Event(x: span.high, jump: span.count))
        continue
      }
      events.append(Event(x: span.low, density: density, active: 1))
      events.append(Event(x: span.high, ended: span.count, density: -density, active: -1))
    }
    return events.sorted { $0.x < $1.x }
  }

  /// A builder of knots from events in order. When no span is open, the count is set to the exact whole number, so that
  /// rounding errors do not accumulate.
  private struct Sweep {
    var knots: [Knot] = []
    private var complete = 0.0
    private var active = 0

    mutating func take(_ event: Event) {
      complete += Double(event.ended)
      active += event.active
      if knots.last?.x != event.x { knots.append(reached(event.x)) }
      let last = knots.count - 1
      complete += Double(event.jump)
      knots[last].after += Double(event.jump)
      knots[last].density = active > 0 ? max(0, knots[last].density + event.density) : 0
      if active == 0 {
        let jumped = knots[last].after - knots[last].before
        knots[last].after = complete
        knots[last].before = complete - jumped
      }
    }

    private func reached(_ x: Double) -> Knot {
      guard let last = knots.last else { return Knot(x: x, before: 0, after: 0, density: 0) }
      let count = last.density > 0 ? last.after + last.density * (x - last.x) : last.after
      return Knot(x: x, before: count, after: count, density: last.density)
    }
  }
}
