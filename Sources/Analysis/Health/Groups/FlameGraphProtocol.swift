/// Functions below their callers.
public protocol FlameGraphProtocol {
  associatedtype Node: FlameGraphNode
  /// The nodes; callers precede the functions that they call.
  var nodes: [Node] { get }
}

/// A function called through one particular path of callers.
public protocol FlameGraphNode {
  /// The same in every graph with this path of function names.
  var id: String { get }
  var name: String { get }
  /// The index of the caller; −1 for a root.
  var parent: Int { get }
}

extension FlameGraphProtocol {
  /// The index of the node with this id.
  public func index(of id: String) -> Int? { nodes.firstIndex { $0.id == id } }

  /// The indices of the nodes from the root to the one at `index`.
  public func path(to index: Int) -> [Int] {
    var path: [Int] = []
    var next = index
    while nodes.indices.contains(next) {
      path.append(next)
      next = nodes[next].parent
    }
    return path.reversed()
  }
}
