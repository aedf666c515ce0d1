import Bytes
import Record
import Statistics
import Storage
import Telemetry

/// What is remembered of a payload until its last reading.
struct PayloadDigest {
  let cell: Int
  let received: Timestamp
  let utcOffsetSeconds: Int
  var facts = PayloadFacts()
  /// The partition of its calendar day, when it has one.
  private(set) var dayPlace: Int?
  /// A day it has readings on.
  private(set) var anyDay: TimeBin?
  /// Clusters of readings with instants: one payload is one cluster per metric and day, however many bins it touches.
  private(set) var openClusters: [ClusterName: ClusterSum] = [:]

  struct ClusterName: Hashable {
    let metric: MetricReference
    let label: String
    let day: CalendarDay
  }

  init(cell: Int, received: Timestamp, utcOffsetSeconds: Int) {
    self.cell = cell
    self.received = received
    self.utcOffsetSeconds = utcOffsetSeconds
  }

  /// Minutes since 1970 by the clocks of the app's zone.
  func minute(of instant: Timestamp) -> Int {
    let local = (Double(instant.milliseconds) / 1000 + Double(utcOffsetSeconds)) / 60
    // Four digits of year at most: a client's clock may say anything.
    return Int(min(max(local.rounded(.down), 0), 4_223_376_000))
  }

  func bin(of time: ReadingTime) -> TimeBin {
    switch time {
    case .day(let day): TimeBin(day)
    case .instant(let instant):
      TimeBin(containing: minute(of: instant), age: minute(of: received) - minute(of: instant))
    }
  }

  mutating func note(partition: Int, bin: TimeBin) {
    if bin.resolution == .day { dayPlace = partition }
    anyDay = anyDay ?? TimeBin(bin.day)
  }

  mutating func merge(_ cluster: ClusterSum, _ metric: MetricReference, label: String, day: CalendarDay) {
    let name = ClusterName(metric: metric, label: label, day: day)
    openClusters[name, default: ClusterSum()].count += cluster.count
    openClusters[name, default: ClusterSum()].indexSum += cluster.indexSum
  }
}

/// A sample or a bucket of a reading.
enum PayloadValue {
  case number(Double)
  case span(Span)

  /// Reads the next value of a reading and notes what rates need to know of it.
  init(_ report: inout ReportReader, _ head: ReadingHead, _ facts: inout PayloadFacts) throws(DamagedBytes) {
    let number: UInt16? = if case .known(let known) = head.metric { known } else { nil }
    switch head.content {
    case .spans:
      let span = try report.nextSpan()
      if let number { facts.note(span, of: number) }
      self = .span(span)
    case .samples: self = .number(try report.nextNumber())
    case .counter:
      let value = try report.nextNumber()
      if let number { facts.note(counter: value, of: number) }
      self = .number(value)
    }
  }
}
