import Core
import Storage

/// The merged call trees of sampled diagnostics: each function below its caller, with its number of samples.
public struct FlameGraph: Sendable, Equatable, FlameGraphProtocol {
  /// A function called through one particular path of callers.
  public struct Node: Sendable, Equatable, FlameGraphNode {
    /// A hash of the function names on the path to this node: sixteen hexadecimal digits.
    public var id: String
    public var name: String
    public var binary: String
    public var isOwn: Bool
    public var samples: Int
    /// Whether the node is on the hottest path: from a root, always to the callee with the most samples.
    public var isHeaviest: Bool
    /// Indices of the called functions in `nodes`, most samples first.
    public var children: [Int]
    /// The index of the caller in `nodes`; −1 for a root.
    public var parent: Int
  }

  /// The nodes; callers precede the functions that they call.
  public private(set) var nodes: [Node] = []
  public private(set) var roots: [Int] = []
  /// The number of samples in all roots together.
  public private(set) var samples = 0
  /// The number of diagnostics that were merged.
  public private(set) var diagnostics = 0

  /// Merges trees by the names of their functions. `own`: names of the app's own binaries whose names look like system
  /// binaries.
  init(_ trees: [CallTree], _ symbols: any SymbolSource, own: Set<String> = []) {
    var merged = MergedCallTrees(trees, symbols, own: own)
    for tree in trees where !tree.isEmpty {
      diagnostics += 1
      merged.add(tree)
    }
    merged.sort()
    (nodes, roots) = (merged.nodes, merged.roots)
    samples = roots.reduce(0) { $0.saturatingAdd(nodes[$1].samples) }
    var next = roots.first
    while let index = next {
      nodes[index].isHeaviest = true
      next = nodes[index].children.first
    }
  }
}
