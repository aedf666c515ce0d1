public import Core

/// The part of an app's data that a number covers. Nil fields do not restrict it.
public struct Slice: Hashable, Sendable {
  /// The environment, such as `production`.
  public var environment: String
  /// A version (`4.2.0`, all its builds) or a version and build (`4.2.0 (1234)`).
  public var release: String?
  /// The OS name and version, such as `iOS 17.4.1`.
  public var os: String?
  /// The model identifier, such as `iPhone15,2`.
  public var device: String?
  /// The name of a `DeviceClass`, such as `iPhone 15`.
  public var deviceClass: String?
  /// The screen, host or view of a labelled metric.
  public var label: String?
  /// A value of one of the app's attributes, or all values but one.
  public var attribute: AttributeFilter?

  public init(
    environment: String = "production", release: String? = nil, os: String? = nil, device: String? = nil,
    deviceClass: String? = nil, label: String? = nil, attribute: AttributeFilter? = nil
  ) {
    self.environment = environment
    self.release = release
    self.os = os
    self.device = device
    self.deviceClass = deviceClass
    self.label = label
    self.attribute = attribute
  }
}

/// The names that a row of numbers belongs to: all names of a cell, or some of them for rollups, which are sums over
/// the others. Raw values are stored in ClickHouse: never change one.
public enum SliceKind: UInt8, Sendable, CaseIterable {
  case cell = 1
  case all = 2
  case release = 3
  case system = 4
  case device = 5
  case deviceClass = 6
  case releaseAndClass = 7
  case attribute = 8
  case releaseAndAttribute = 9
  case attributeAndClass = 10

  /// Whether rows of this kind have names of a dimension.
  public func has(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .release: [.cell, .release, .releaseAndClass, .releaseAndAttribute].contains(self)
    case .os: self == .cell || self == .system
    case .device: self == .cell || self == .device
    case .deviceClass: [.cell, .deviceClass, .releaseAndClass, .attributeAndClass].contains(self)
    case .attribute: [.cell, .attribute, .releaseAndAttribute, .attributeAndClass].contains(self)
    case .combination: self == .cell
    }
  }
}
