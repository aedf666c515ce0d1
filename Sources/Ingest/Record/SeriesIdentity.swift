/// A metric with or without a label, as a dictionary key. Each process seeds its hash at random, so that no client can
/// cause collisions on purpose.
struct SeriesIdentity: Hashable, Sendable {
  /// The metric's catalogue number; 0 for a custom metric.
  let number: UInt16
  /// The hash of a custom metric's name and of the label; 0 for a catalogue metric without a label.
  let hash: Int

  init(number: UInt16, hash: Int) {
    self.number = number
    self.hash = hash
  }

  /// The identity of no series.
  static let none = SeriesIdentity(number: 0, hash: 0)

  /// The identity of a catalogue metric over all labels.
  init(catalogue number: UInt16) { self.init(number: number, hash: 0) }
}
