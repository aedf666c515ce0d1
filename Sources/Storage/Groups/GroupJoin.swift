/// Diagnostics that left a group for another one when symbols arrived. Groups are named by fingerprint.
public struct GroupJoin: Sendable, Hashable {
  public var app: AppID
  /// Where they were.
  public var part: UInt64
  /// Where they are.
  public var whole: UInt64
  public var diagnostics: Int
  /// What the whole had before any came.
  public var before: Int
  /// Nothing is left of the part.
  public var isEmptied: Bool

  public init(app: AppID, part: UInt64, whole: UInt64, diagnostics: Int, before: Int, isEmptied: Bool) {
    self.app = app
    self.part = part
    self.whole = whole
    self.diagnostics = diagnostics
    self.before = before
    self.isEmptied = isEmptied
  }
}
