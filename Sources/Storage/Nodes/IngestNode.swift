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
