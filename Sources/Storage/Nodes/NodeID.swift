internal import Core

/// The identity of a data folder, created with the folder: 16 hexadecimal digits.
public struct NodeID: Hashable, Sendable {
  public var text: String

  public init(_ text: String) { self.text = text }

  /// Creates a new identity.
  public static func random() -> NodeID { NodeID(String(UInt64.random(in: (1 << 60)...UInt64.max), radix: 16)) }

  /// The identity in a text; nil unless it is 16 lower-case hexadecimal digits.
  public init?(checking text: String) {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
      return nil
    }
    self.init(text)
  }
}
