import Core

/// The path of frames that identifies a diagnostic: a crash's stack or the hottest path of a sampled tree.
struct CallPath {
  private let tree: CallTree
  /// The frames of the attributed thread, or of the first one if none is. Only their indices may be passed.
  let range: Range<Int>
  private var nodes: [Node]

  /// A frame of the thread.
  private struct Node {
    let owner: BinaryOwners.Owner
    /// The samples without those that waited for work.
    var weight: Int
    /// Whether the frame or one that it called is the app's.
    var holdsOwn: Bool
    /// The first frame that it called and the next frame that its caller called; −1 for none.
    var firstCallee = -1
    var nextCallee = -1
    /// The samples of the frames that it called, and those that waited for work.
    var spent = 0
    var idle = 0

    var isOwn: Bool { owner == .app || owner == .unnamed }
  }

  init(_ tree: CallTree, _ known: BinaryOwners) {
    self.tree = tree
    range = Self.range(of: tree)
    nodes = tree.frames[range].map { frame in
      let owner: BinaryOwners.Owner =
        tree.binaries.indices.contains(frame.binary) ? known[frame.binary] : frame.symbol != nil ? .app : .system
      var node = Node(owner: owner, weight: max(1, frame.samples), holdsOwn: false)
      node.holdsOwn = node.isOwn
      return node
    }
    addUp()
  }

  private subscript(index: Int) -> Node { nodes[index - range.lowerBound] }

  private static func range(of tree: CallTree) -> Range<Int> {
    let threads = tree.threads.filter { !$0.range.isEmpty && $0.range.upperBound <= tree.frames.count }
    return (threads.first(where: \.isAttributed) ?? threads.first)?.range ?? tree.frames.indices
  }

  /// Computes the samples of each frame. Samples in functions that wait for work are subtracted from all callers.
  private mutating func addUp() {
    let (frames, first) = (tree.frames, range.lowerBound)
    nodes.withUnsafeMutableBufferPointer { nodes in
      for index in range.reversed() {
        let node = nodes[index - first]
        let own = max(0, node.weight - node.spent)
        var idle = node.idle
        if let function = frames[index].symbol?.function, FunctionName.isIdle(function) { idle += own }
        nodes[index - first].weight -= min(idle, node.weight)
        let caller = frames[index].caller
        guard range.contains(caller), caller < index else { continue }
        nodes[index - first].nextCallee = nodes[caller - first].firstCallee
        nodes[caller - first].firstCallee = index
        nodes[caller - first].spent += max(1, frames[index].samples)
        nodes[caller - first].idle += idle
        if node.holdsOwn { nodes[caller - first].holdsOwn = true }
      }
    }
  }

  /// The indices of the path's frames, innermost first. The path descends while a branch has at least half of the
  /// samples, or until it reaches the app's code.
  func frames() -> [Int] {
    let roots = range.filter { !range.contains(tree.frames[$0].caller) }
    guard var index = heaviest(of: roots) else { return [] }
    let whole = self[index].weight
    var path = [index]
    path.reserveCapacity(min(range.count, 64))
    var hasOwn = self[index].isOwn && !isEntry(index)
    while let next = heaviest(of: callees(of: index)),
      self[next].weight * 2 >= whole || (!hasOwn && self[next].holdsOwn)
    {
      path.append(next)
      hasOwn = hasOwn || self[next].isOwn
      index = next
    }
    return path.reversed()
  }

  private func callees(of index: Int) -> some Sequence<Int> {
    sequence(state: self[index].firstCallee) { next in
      guard next >= 0 else { return nil }
      defer { next = self[next].nextCallee }
      return next
    }
  }

  /// The frame with the most samples: among frames with code of the app, or among all if there are none. The first of
  /// equal frames.
  private func heaviest(of indices: some Sequence<Int>) -> Int? {
    indices.max { left, right in
      let (one, other) = (self[left], self[right])
      return (one.holdsOwn ? 1 : 0, one.weight, right) < (other.holdsOwn ? 1 : 0, other.weight, left)
    }
  }

  func owner(_ index: Int) -> BinaryOwners.Owner { self[index].owner }

  /// Whether the frame called another one. Its offset is then a return address.
  func calls(_ index: Int) -> Bool { self[index].firstCallee >= 0 }

  /// Whether a frame is the program's entry point, `main`.
  func isEntry(_ index: Int) -> Bool {
    if let function = tree.frames[index].symbol?.function { return FunctionName.isEntry(function) }
    let caller = tree.frames[index].caller
    guard range.contains(caller), tree.binaries.indices.contains(tree.frames[caller].binary) else { return false }
    return SystemBinaries.starts(tree.binaries[tree.frames[caller].binary].name)
  }
}
