public import Telemetry

/// A binary that was loaded when something crashed, as reports of one build named it.
public struct SeenImage: Sendable, Hashable {
  public var release: Release
  /// `Shop`
  public var name: String
  /// 32 upper-case hexadecimal digits, or empty.
  public var uuid: String
  /// It belongs to the app and not to the system: somebody can have its symbols.
  public var isOwn: Bool

  public init(release: Release, name: String, uuid: String, isOwn: Bool) {
    self.release = release
    self.name = name
    self.uuid = uuid
    self.isOwn = isOwn
  }
}
