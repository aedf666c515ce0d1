import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension HistogramReader {
  /// At most `maximum` adjacent bars [low, high) of equal width that contain all values, with edges rounded to 1, 2 or
  /// 5 times a power of ten. The last bar's `high` is nil, and it contains all remaining values, if there are infinite
  /// spans or if a thin tail beyond the 99th percentile would compress the other bars.
  public func bars(maximum: Int) -> [(low: Double, high: Double?, count: Double)] {
    guard maximum > 0, let range = barRange else { return [] }
    let room = max(1, maximum - (range.hasTail ? 1 : 0))
    let axis = Axis(from: range.low, to: range.high, bars: room, whole: histogram.scheme == .integer, range.hasTail)
    let curve = evenCurve
    var bars: [(low: Double, high: Double?, count: Double)] = []
    for number in axis.first..<axis.last {
      let (low, high) = (axis.edge(number), axis.edge(number + 1))
      bars.append((low, high, max(0, curve.count(below: high) - curve.count(below: low))))
    }
    if range.hasTail {
      if bars.count == maximum { bars.removeLast() }
      let end = bars.last?.high ?? axis.edge(axis.first)
      bars.append((end, nil, max(0, Double(count) - curve.count(below: end))))
    }
    while bars.count > 1, bars[bars.count - 1].count == 0 { bars.removeLast() }
    return bars
  }

  /// The range of the bars of equal width, and whether an open bar follows for all larger values.
  private var barRange: (low: Double, high: Double, hasTail: Bool)? {
    guard let low = histogram.minimum, let top = histogram.maximum,
      let p99 = value(atRank: (0.99 * Double(count)).rounded(.up))
    else { return nil }
    var high = top
    if top > 2 * p99, p99 > low { high = p99 + (p99 - low) / 4 }
    if let start = histogram.spans.entries.first(where: \.isInfinite)?.low { high = max(low, min(high, start)) }
    // They are infinite only for the huge numbers of a damaged row.
    guard low.isFinite, high.isFinite else { return nil }
    return (low, high, high < top || hasInfiniteSpan)
  }

  /// The curve with each bin's values spread over its width. Otherwise bars narrower than bins would show gaps.
  private var evenCurve: CumulativeCurve {
    var points: [CumulativeCurve.Point] = []
    var spans: [Span] = []
    for span in histogram.spans.entries {
      if span.isPoint || span.isInfinite {
        points.append(.init(x: span.low, count: span.count))
      } else {
        spans.append(span)
      }
    }
    if histogram.zeroCount > 0 { points.append(.init(x: 0, count: histogram.zeroCount)) }
    for bin in histogram.bins.entries {
      let bounds = histogram.scheme.bounds(of: bin.index)
      let (low, high) = (histogram.clamped(bounds.low), histogram.clamped(bounds.high))
      if histogram.scheme.isWhole(bin.index) || low >= high {
        points.append(.init(x: high, count: bin.count))
      } else if let span = Span(checkedLow: low, high: high, count: bin.count) {
        spans.append(span)
      }
    }
    return CumulativeCurve(points: points, spans: spans)
  }
}

/// Bar edges at whole multiples of a round step.
private struct Axis {
  var first = 0
  var last = 0
  private var mantissa = 1.0
  private var exponent = 0

  /// Chooses the smallest step of 1, 2 or 5 times a power of ten with which at most `bars` bars cover the range from
  /// `start` to `end`. With `whole`, the step is at least 1. With `open`, a bar without an upper edge follows, so the
  /// last edge lies at or below `end` instead of above it.
  init(from start: Double, to end: Double, bars: Int, whole: Bool, _ open: Bool) {
    let least = max((end - start) / Double(bars), end * 1e-6, whole ? 1 : 1e-290)
    exponent = Int(saturating: log10(least).rounded(.down))
    repeat {
      setEdges(start, end, open)
      if last - first <= bars, step >= least * (1 - 1e-9) { return }
      advance()
    } while exponent < 308
  }

  private var step: Double { scaled(1) }

  /// The largest multiple of the step for an edge, so that `first` and `last` fit in an `Int`. Real edges have at most
  /// seven digits.
  private static let farthestEdge = 1e15

  /// Sets the first and last edge for the current step.
  private mutating func setEdges(_ start: Double, _ end: Double, _ open: Bool) {
    first = Int(saturating: min((start / step).rounded(.down), Self.farthestEdge))
    if edge(first) > start { first -= 1 }
    last = Int(saturating: min((end / step).rounded(.down), Self.farthestEdge))
    if edge(last) > end { last -= 1 }
    last = open ? max(last, first) : max(last, first) + 1
  }

  /// Replaces the step by the next larger one.
  private mutating func advance() {
    switch mantissa {
    case 1: mantissa = 2
    case 2: mantissa = 5
    default: (mantissa, exponent) = (1, exponent + 1)
    }
  }

  func edge(_ number: Int) -> Double { scaled(Double(number)) }

  /// The value of `number` steps. Division by a power of ten gives the nearest double of a decimal fraction;
  /// multiplication by its inverse does not.
  private func scaled(_ number: Double) -> Double {
    exponent < 0 ? number * mantissa / pow(10, Double(-exponent)) : number * mantissa * pow(10, Double(exponent))
  }
}
