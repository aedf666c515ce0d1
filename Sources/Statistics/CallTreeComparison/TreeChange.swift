/// A difference between two sides that originates at one place of a tree.
public struct TreeChange: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// The cost rose.
    case more
    /// The cost fell.
    case less
    /// Only the head has the node.
    case new
    /// Only the base has the node.
    case vanished
    /// The cost moved between two nodes, and their sum hardly changed.
    case moved
  }

  public var kind: Kind
  /// The nodes that share the change, each below the one before. The innermost has nearly all of it.
  public var chain: [Int]
  /// Whether the innermost node itself changed, and not the nodes below it.
  public var isOwnCost: Bool
  /// The node that the cost moved from, if it moved to `node`.
  public var origin: Int?
  /// The cost at `node`, or its own cost.
  public var cost: TreeDifference.Node
  /// The difference of the mean shares of a unit's cost; positive if the head has more.
  public var shareDifference: Double
  /// The share of random assignments in which the most significant part of the change differs as much.
  public var pValue: Double

  /// The innermost node of the chain.
  public var node: Int { chain.last ?? 0 }
}
