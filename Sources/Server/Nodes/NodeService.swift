public import HTTP
public import Storage

/// What a primary does for its ingest nodes, as the server asks the application for it.
public struct NodeService: Sendable {
  /// A body with which a node relays its journal.
  public struct Delivery: Sendable {
    public var node: NodeID
    public var name: String
    /// The name of the token with which it came.
    public var token: String
    /// The node's sequence that the body follows.
    public var after: Int64
    public var body: ReceivedBody
  }

  /// What became of a delivery.
  public enum Answer: Sendable {
    /// The records up to `position` are on disk. `refused`: the numbers of records that were left out, by reason, which
    /// follows "… records".
    case taken(position: Int64, refused: [String: Int])
    /// Nothing was taken: the records up to `position` are here, and the body follows another sequence.
    case elsewhere(position: Int64)
    case tooManyNodes
    /// The node's secret is another one than this installation's.
    case foreign
    /// The body is of a newer version than this server.
    case newerVersion
    /// The body is none, with what is wrong with it.
    case malformed(String)
    /// Nothing can be taken now; the node may try again after `seconds`.
    case unavailable(seconds: Int)
  }

  /// The configuration of ingest nodes as JSON: apps, keys, settings and the folder's secret.
  public var configuration: @Sendable () throws -> [UInt8]
  public var take: @Sendable (Delivery) throws -> Answer
  /// The nodes with what is known of them.
  public var nodes: @Sendable () throws -> [IngestNode]

  public init(
    configuration: @escaping @Sendable () throws -> [UInt8], take: @escaping @Sendable (Delivery) throws -> Answer,
    nodes: @escaping @Sendable () throws -> [IngestNode]
  ) {
    self.configuration = configuration
    self.take = take
    self.nodes = nodes
  }
}
