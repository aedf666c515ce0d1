public import Core

/// An ingest node as known to its primary.
public struct IngestNode: Sendable, Equatable {
  public var id: NodeID
  /// The name set by the operator; the host's name by default.
  public var name: String
  /// The node's sequence up to which its records are in the primary's journal.
  public var position: Int64
  /// The time of its last contact.
  public var heard: Timestamp

  public init(id: NodeID, name: String, position: Int64, heard: Timestamp) {
    self.id = id
    self.name = name
    self.position = position
    self.heard = heard
  }

  /// The maximum number of nodes of a primary.
  public static let most = 100
}

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
