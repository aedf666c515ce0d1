public import Core

/// The dimensions by which numbers can be broken down.
public enum Dimension: String, Sendable, CaseIterable {
  case release
  case os
  case device
  case deviceClass = "device_class"
  /// The values of the app's attribute; the query names the attribute.
  case attribute
  /// The OS version, device model and value of the attribute together; members are texts of `CombinedMember`.
  case combination
}

/// The names of a cell other than its release, as one member of the dimension `combination`.
public struct CombinedMember: Hashable, Sendable {
  public var os: String
  public var device: String
  public var attribute: AppAttribute?

  public init(os: String, device: String, attribute: AppAttribute?) {
    (self.os, self.device, self.attribute) = (os, device, attribute)
  }

  /// The control character between the parts. Stored names contain none.
  public static let separator: Character = "\u{1F}"

  /// The names in this order, separated by `separator`.
  public var text: String {
    [os, device, attribute?.name ?? "", attribute?.value ?? ""].joined(separator: String(Self.separator))
  }

  /// The names of a member's text; nil if it is not one.
  public init?(_ text: String) {
    let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4 else { return nil }
    self.init(
      os: parts[0], device: parts[1],
      attribute: parts[2].isEmpty ? nil : AppAttribute(name: parts[2], value: parts[3]))
  }
}
