/// Which part of an app's data a number is about. A nil part means all of it.
public struct Slice: Hashable, Sendable {
  /// `production`
  public var environment: String
  /// A version (`4.2.0`, all its builds) or a version and build (`4.2.0 (1234)`).
  public var release: String?
  /// `iOS 17.4.1`
  public var os: String?
  /// `iPhone15,2`
  public var device: String?
  /// A class of devices by chip generation, as `DeviceClass` names them.
  public var deviceClass: String?
  /// The screen, host or view of a labelled metric.
  public var label: String?

  public init(
    environment: String = "production", release: String? = nil, os: String? = nil, device: String? = nil,
    deviceClass: String? = nil, label: String? = nil
  ) {
    self.environment = environment
    self.release = release
    self.os = os
    self.device = device
    self.deviceClass = deviceClass
    self.label = label
  }
}

/// What a table of numbers can be broken down by.
public enum Dimension: String, Sendable, CaseIterable {
  case release
  case os
  case device
  case deviceClass = "device_class"
}
