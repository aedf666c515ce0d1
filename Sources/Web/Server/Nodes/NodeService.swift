import Core
public import Storage

/// The services of a primary for its ingest nodes.
public protocol NodeService: Sendable {
  /// The configuration of ingest nodes as JSON: apps, keys, settings and the folder's secret.
  func configuration() throws -> [UInt8]
  /// The epoch of this primary. Throws `SupersededPrimary` for a primary that was replaced, and `RivalPrimaries` if the
  /// node relays to another primary of the same epoch. `known`: the highest epoch that the node has seen.
  func epoch(known: Epoch) throws -> Epoch
  func take(_ delivery: NodeDelivery) throws -> NodeDelivery.Answer
}

/// A request body with a part of a node's journal.
public struct NodeDelivery: Sendable {
  public var node: NodeID
  public var name: String
  /// The name of the request's token.
  public var token: String
  /// The sequence number in the node's journal after which the body starts.
  public var after: Int64
  /// The epoch whose primary acknowledged the records up to `after`.
  public var acknowledged: Int64
  public var body: ReceivedBody

  /// The result of a delivery.
  public enum Answer: Sendable {
    /// The records up to `position` are on disk. `refused`: the numbers of refused records by reason; a reason
    /// continues the sentence "… records".
    case taken(position: Int64, refused: [String: Int])
    /// Nothing was accepted: this server has the records up to `position`, and the body starts after another number.
    case elsewhere(position: Int64)
    case tooManyNodes
    /// The node's secret differs from this installation's.
    case foreign
    /// The body has a newer format than this server supports.
    case newerVersion
    /// The body is invalid; the text is the problem.
    case malformed(String)
    /// Nothing can be accepted now; the node may try again after `seconds`.
    case unavailable(seconds: Int)
  }
}
