import Core
import Ingest
import Storage

/// The merged call trees of sampled diagnostics: each function below its caller, with its number of samples.
public struct FlameGraph: Sendable, Equatable {
  /// A function called through one particular path of callers.
  public struct Node: Sendable, Equatable {
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

  /// The maximum number of nodes, because trees of a hostile client may contain any number of different names.
  private static let mostNodes = 20_000

  /// Merges trees by the names of their functions. `own`: names of the app's own binaries whose names look like system
  /// binaries.
  init(_ trees: [CallTree], _ symbols: any SymbolSource, own: Set<String> = []) {
    var indexByID: [String: Int] = [:]
    let versions = Self.versions(of: trees)
    for tree in trees where !tree.isEmpty {
      diagnostics += 1
      add(tree, CallNames(tree, symbols, own: own), versions, &indexByID)
    }
    let order = nodes
    let heavier = { (left: Int, right: Int) in (order[left].samples, right) > (order[right].samples, left) }
    for index in nodes.indices { nodes[index].children.sort(by: heavier) }
    roots.sort(by: heavier)
    samples = roots.reduce(0) { $0.addingSaturated(nodes[$1].samples) }
    var next = roots.first
    while let index = next {
      nodes[index].isHeaviest = true
      next = nodes[index].children.first
    }
  }

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

  /// The UUIDs of each binary in all trees, by the binary's name. Several UUIDs mean several versions.
  private static func versions(of trees: [CallTree]) -> [String: Set<String>] {
    trees.lazy.flatMap(\.binaries).reduce(into: [:]) { $0[$1.name, default: []].insert($1.uuid) }
  }

  /// Adds the threads of a tree that the diagnostic is about, such as the main thread for a hang.
  private mutating func add(
    _ tree: CallTree, _ names: CallNames, _ versions: [String: Set<String>], _ indexByID: inout [String: Int]
  ) {
    let attributed = tree.threads.filter { $0.isAttributed && !$0.range.isEmpty }
    let ranges =
      attributed.isEmpty
      ? [tree.threads.first { !$0.range.isEmpty }?.range ?? tree.frames.indices] : attributed.map(\.range)
    for range in ranges {
      var ends: [Int: Int] = [:]
      for index in range {
        let caller = tree.frames[index].caller
        var parent = -1
        if range.contains(caller) {
          guard let end = ends[caller] else { continue }
          parent = end
        }
        for var call in names.calls(at: index) {
          // Offsets without names differ between versions of a system binary. With several versions, frames are merged
          // by binary instead.
          if !call.isNamed, !call.isOwn, !call.binary.isEmpty, versions[call.binary]?.count ?? 0 > 1 {
            call.name = call.binary
            if parent >= 0, nodes[parent].name == call.name, nodes[parent].binary == call.binary { continue }
          }
          guard let node = node(call, below: parent, &indexByID) else { break }
          nodes[node].samples += max(1, tree.frames[index].samples)
          parent = node
        }
        ends[index] = parent
      }
    }
  }

  private mutating func node(_ call: CallNames.Call, below parent: Int, _ indexByID: inout [String: Int]) -> Int? {
    let path = parent < 0 ? "" : nodes[parent].id
    let id = Fingerprint.name(of: Fingerprint.hash(of: [path, call.name, call.binary]))
    if let known = indexByID[id] { return known }
    guard nodes.count < Self.mostNodes else { return nil }
    let index = nodes.count
    nodes.append(
      Node(
        id: id, name: call.name, binary: call.binary, isOwn: call.isOwn, samples: 0, isHeaviest: false, children: [],
        parent: parent))
    if parent < 0 { roots.append(index) } else { nodes[parent].children.append(index) }
    indexByID[id] = index
    return index
  }
}
