import Core
import Ingest
import Storage

/// Call trees merged by the names of their functions: each function below its caller.
struct MergedCallTrees {
  /// The nodes; callers precede the functions that they call.
  private(set) var nodes: [FlameGraph.Node] = []
  private(set) var roots: [Int] = []

  private let symbols: any SymbolSource
  private let own: Set<String>
  /// The UUIDs of each binary in all trees, by the binary's name. Several UUIDs mean several versions.
  private let versions: [String: Set<String>]
  private let mergesBinaries: Bool
  private var indexByID: [String: Int] = [:]

  /// The maximum number of nodes, because trees of a hostile client may contain any number of different names.
  private static let mostNodes = 20_000

  /// Prepares the merging of `trees`, which `add` then takes one by one. `own`: names of the app's own binaries whose
  /// names look like system binaries. `mergesBinaries`: whether the system's frames without names are always merged by
  /// binary, because trees of two releases are compared.
  init(_ trees: [CallTree], _ symbols: any SymbolSource, own: Set<String>, mergesBinaries: Bool = false) {
    (self.symbols, self.own, self.mergesBinaries) = (symbols, own, mergesBinaries)
    versions = trees.lazy.flatMap(\.binaries).reduce(into: [:]) { $0[$1.name, default: []].insert($1.uuid) }
  }

  /// Adds the threads of a tree that the diagnostic is about, such as the main thread for a hang. Returns the samples
  /// of this tree at each node that it has.
  @discardableResult
  mutating func add(_ tree: CallTree) -> [Int: Int] {
    let names = CallNames(tree, symbols, own: own)
    var samples: [Int: Int] = [:]
    let attributed = tree.threads.filter { $0.isAttributed && !$0.range.isEmpty }
    let ranges =
      attributed.isEmpty
      ? [tree.threads.first { !$0.range.isEmpty }?.range ?? tree.frames.indices] : attributed.map(\.range)
    for range in ranges { add(range, of: tree, names, &samples) }
    return samples
  }

  /// Sorts callees and roots, most samples first.
  mutating func sort() {
    let order = nodes
    let heavier = { (left: Int, right: Int) in (order[left].samples, right) > (order[right].samples, left) }
    for index in nodes.indices { nodes[index].children.sort(by: heavier) }
    roots.sort(by: heavier)
  }

  private mutating func add(
    _ range: Range<Int>, of tree: CallTree, _ names: CallNames, _ samples: inout [Int: Int]
  ) {
    // A caller has at least the samples of its callees, whatever a client states.
    var counts = [Int](repeating: 0, count: range.count)
    for index in range.reversed() {
      let own = max(1, tree.frames[index].samples, counts[index - range.lowerBound])
      counts[index - range.lowerBound] = own
      let caller = tree.frames[index].caller
      guard range.contains(caller), caller < index else { continue }
      counts[caller - range.lowerBound] = counts[caller - range.lowerBound].saturatingAdd(own)
    }
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
        if !call.isNamed, !call.isOwn, !call.binary.isEmpty,
          mergesBinaries || versions[call.binary]?.count ?? 0 > 1
        {
          call.name = call.binary
          if parent >= 0, nodes[parent].name == call.name, nodes[parent].binary == call.binary { continue }
        }
        guard let node = node(call, below: parent) else { break }
        let count = counts[index - range.lowerBound]
        nodes[node].samples = nodes[node].samples.saturatingAdd(count)
        samples[node] = (samples[node] ?? 0).saturatingAdd(count)
        parent = node
      }
      ends[index] = parent
    }
  }

  private mutating func node(_ call: CallNames.Call, below parent: Int) -> Int? {
    let path = parent < 0 ? "" : nodes[parent].id
    let id = Fingerprint.name(of: Fingerprint.hash(of: [path, call.name, call.binary]))
    if let known = indexByID[id] { return known }
    guard nodes.count < Self.mostNodes else { return nil }
    let index = nodes.count
    nodes.append(
      FlameGraph.Node(
        id: id, name: call.name, binary: call.binary, isOwn: call.isOwn, samples: 0, isHeaviest: false, children: [],
        parent: parent))
    if parent < 0 { roots.append(index) } else { nodes[parent].children.append(index) }
    indexByID[id] = index
    return index
  }
}
