public import Core

/// The names of a cell, as one member of the dimension `combination`.
public struct CombinedMember: Hashable, Sendable {
  public var os: String
  public var device: String
  public var release: Release
  /// The values of the app's attributes, sorted by name.
  public var attributes: [AppAttribute]

  public init(os: String, device: String, release: Release, attributes: [AppAttribute]) {
    (self.os, self.device, self.release, self.attributes) = (os, device, release, attributes)
  }

  /// The control character between the parts. Stored names contain none.
  public static let separator = AttributeTexts.separator
  private static let separatorByte = separator.asciiValue ?? 0x1F

  /// The OS version, the device model, version and build, and the two texts of `AttributeTexts`, separated by
  /// `separator`.
  public var text: String {
    let texts = AttributeTexts(attributes)
    return [os, device, release.version, release.build, texts.names, texts.values].joined(
      separator: String(Self.separator))
  }

  /// The names of a member's text; nil if it is not one.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: Self.separatorByte, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    guard parts.count >= 6, parts.count.isMultiple(of: 2) else { return nil }
    let middle = 4 + (parts.count - 4) / 2
    self.init(
      os: parts[0], device: parts[1], release: Release(version: parts[2], build: parts[3]),
      attributes: AttributeTexts.attributes(names: parts[4..<middle], values: parts[middle...]))
  }
}
