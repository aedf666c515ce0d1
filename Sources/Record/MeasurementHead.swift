public import Telemetry

/// A metric with or without a label, told apart from others of the same process. The hash is keyed anew in each process,
/// so that no client can aim at a collision.
public struct SeriesIdentity: Hashable, Sendable {
  /// The metric's number in the catalogue, 0 for a custom one.
  public let number: UInt16
  /// 0 for a catalogue metric without label.
  public let hash: Int

  init(number: UInt16, hash: Int) {
    self.number = number
    self.hash = hash
  }

  /// A catalogue metric over all labels.
  public init(catalogue number: UInt16) { self.init(number: number, hash: 0) }
}

/// What a reading is about, before its values.
public struct MeasurementHead {
  /// The metric's number in the catalogue, 0 for a custom one.
  public let number: UInt16
  public let isLabelled: Bool
  public let time: MeasurementTime
  public let content: Content
  /// How many samples or buckets follow.
  public let count: Int
  /// Behind the values stand their exact sum and ends: `ReportReader.extent`.
  public let hasExtent: Bool
  /// Behind those stands the stream they are part of: `ReportReader.accumulation`.
  public let isAccumulated: Bool

  /// What follows. Raw values stand in records.
  public enum Content: UInt8, Sendable {
    case samples = 1
    case spans = 2
    case counter = 3
    case exponential = 4
  }
}
