internal import Core

/// The dimensions by which numbers can be broken down.
public enum Dimension: String, Sendable, CaseIterable {
  case release
  case os
  case device
  case deviceClass = "device_class"
  /// The values of one of the app's attributes; the query names the attribute.
  case attribute
  /// The OS version, device model, release and values of the attributes together; members are texts of
  /// `CombinedMember`.
  case combination
}
