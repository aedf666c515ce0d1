import Core

/// The values of one part of a release: one device class on one day or several days.
public struct SamplePart: Sendable {
  var reader: HistogramReader
  /// The design effect of the part's device class, because the same phones send on every day.
  public var effect: DesignEffect
  /// The number of the part's device class. Parts of the same class are measured on the same phones, so their errors
  /// are not independent.
  var deviceClass: Int

  public init(reader: HistogramReader, effect: DesignEffect, deviceClass: Int = 0) {
    self.reader = reader
    self.effect = effect
    self.deviceClass = deviceClass
  }
}
