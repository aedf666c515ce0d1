import Core

/// The launches, hangs, exits and foreground time of one payload. Some rates take their numerator and denominator from
/// different sections of it.
struct PayloadRates {
  private var launches: Int64?
  private var hangs: Int64?
  private var hangMilliseconds: Double = 0
  private var foregroundSeconds: Double?
  private var foregroundExits: Int64?
  private var normalExits: Int64 = 0
  private var limitExits: Int64 = 0

  /// The numerator (x) and denominator (y) of a catalogue metric.
  struct Pair {
    let metric: UInt16
    let x: Int64
    let y: Int64
  }

  private enum Number {
    static let foregroundAbnormal: UInt16 = 4
    static let foregroundLimits: UInt16 = 5
    static let firstDraw: UInt16 = 100
    static let prewarmed: UInt16 = 101
    static let resume: UInt16 = 102
    static let hang: UInt16 = 200
    static let hangFrequency: UInt16 = 201
    static let hangRate: UInt16 = 202
    static let foregroundTime: UInt16 = 610
  }

  /// Whether a catalogue metric's values count for a rate.
  static func include(_ metric: UInt16) -> Bool {
    switch metric {
    case Number.firstDraw, Number.prewarmed, Number.resume, Number.hang, Number.foregroundTime, 700..<750: true
    default: false
    }
  }

  /// Adds the values of a measurement.
  mutating func note(_ item: DecodedMeasurements.Item, of measured: borrowing DecodedMeasurements) {
    let head = measured.heads[item.head]
    for index in item.values {
      switch (item.form, head.isDistribution) {
      case (.numbers, true): note(sample: measured.numbers[index], of: head.number)
      case (.numbers, false): note(counter: measured.numbers[index], of: head.number)
      case (.spans, true): note(measured.spans[index], of: head.number)
      default: break
      }
    }
  }

  mutating func note(_ span: Span, of metric: UInt16) {
    // Values that distributions reject, such as those of damaged records, are not counted as launches or hangs.
    guard span.low >= 0, span.low < .infinity, span.high >= span.low, span.count > 0 else { return }
    switch metric {
    case Number.firstDraw, Number.prewarmed, Number.resume:
      launches = Self.sum(launches ?? 0, Int64(clamping: span.count))
    case Number.hang:
      let middle = span.high.isFinite ? (span.low + span.high) / 2 : span.low
      noteHangs(span.high > 250 ? Int64(clamping: span.count) : 0, each: middle)
    default: break
    }
  }

  mutating func note(sample value: Double, of metric: UInt16) {
    guard value >= 0, value < .infinity else { return }
    switch metric {
    case Number.firstDraw, Number.prewarmed, Number.resume: launches = Self.sum(launches ?? 0, 1)
    case Number.hang: noteHangs(value >= 250 ? 1 : 0, each: value)
    default: break
    }
  }

  /// Adds all values of a measurement. Exponential buckets are added as spans.
  mutating func note(_ value: Measurement.Value, of metric: UInt16) {
    switch value {
    case .samples(let samples): for sample in samples { note(sample: sample, of: metric) }
    case .spans(let spans): for span in spans { note(span, of: metric) }
    case .counter(let sum): note(counter: sum, of: metric)
    case .exponential(let histogram):
      for bucket in histogram.buckets {
        let edges = histogram.edges(of: bucket.index)
        note(Span(low: edges.low, high: edges.high, count: bucket.count), of: metric)
      }
    }
  }

  private mutating func noteHangs(_ count: Int64, each milliseconds: Double) {
    hangs = Self.sum(hangs ?? 0, count)
    hangMilliseconds += milliseconds * Double(count)
  }

  mutating func note(counter value: Double, of metric: UInt16) {
    guard value >= 0 else { return }
    if metric == Number.foregroundTime { foregroundSeconds = (foregroundSeconds ?? 0) + value }
    guard let reason = ExitReason(rawValue: metric &- ExitReason.normal.foregroundMetric), metric >= 700, metric < 750
    else { return }
    let count = Self.integer(value)
    foregroundExits = Self.sum(foregroundExits ?? 0, count)
    if reason == .normal { normalExits = Self.sum(normalExits, count) }
    if reason == .watchdog || reason == .memoryLimit { limitExits = Self.sum(limitExits, count) }
  }

  /// Every pair whose two sides are known. A MetricKit payload without a hang section counts zero hangs, because iOS
  /// leaves out empty sections.
  func pairs(of source: Source) -> [Pair] {
    var pairs: [Pair] = []
    if let foregroundSeconds, let hangs = hangs ?? (source == .metricKit ? 0 : nil) {
      let milliseconds = Self.integer(foregroundSeconds * 1000)
      pairs.append(Pair(metric: Number.hangRate, x: Self.integer(hangMilliseconds), y: milliseconds))
      pairs.append(Pair(metric: Number.hangFrequency, x: hangs, y: milliseconds))
    }
    if let foregroundExits {
      pairs.append(Pair(metric: Number.foregroundLimits, x: limitExits, y: foregroundExits))
      if let launches {
        pairs.append(Pair(metric: Number.foregroundAbnormal, x: foregroundExits - normalExits, y: launches))
      }
    }
    return pairs
  }

  private static func integer(_ value: Double) -> Int64 { value < 9e18 ? Int64(max(0, value.rounded())) : .max }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
