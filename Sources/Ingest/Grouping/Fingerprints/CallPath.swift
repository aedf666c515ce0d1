import Core

/// The path of frames that identifies a diagnostic: a crash's stack or the hottest path of a sampled tree.
struct CallPath {
  private let tree: CallTree
  private let owners: [BinaryOwners.Owner]
  private let isOwn: [Bool]
  private var weights: [Int]
  private var holdsOwn: [Bool]
  /// For each frame, the first frame that it called and the next frame that its caller called; −1 for none.
  private var firstCallee: [Int]
  private var nextCallee: [Int]
  private let range: Range<Int>

  init(_ tree: CallTree, _ known: BinaryOwners) {
    self.tree = tree
    owners = tree.frames.indices.map { index in
      let binary = tree.frames[index].binary
      if tree.binaries.indices.contains(binary) { return known[binary] }
      return tree.frames[index].symbol != nil ? .app : .system
    }
    isOwn = owners.map { $0 == .app || $0 == .unnamed }
    range = Self.range(of: tree)
    weights = tree.frames.map { max(1, $0.samples) }
    holdsOwn = isOwn
    firstCallee = Array(repeating: -1, count: tree.frames.count)
    nextCallee = firstCallee
    addUp()
  }

  /// The frames of the attributed thread, or of the first one if none is.
  private static func range(of tree: CallTree) -> Range<Int> {
    let threads = tree.threads.filter { !$0.range.isEmpty && $0.range.upperBound <= tree.frames.count }
    return (threads.first(where: \.isAttributed) ?? threads.first)?.range ?? tree.frames.indices
  }

  /// Computes the samples of each frame. Samples in functions that wait for work are subtracted from all callers.
  private mutating func addUp() {
    var spent = [Int](repeating: 0, count: tree.frames.count)
    var idle = spent
    for index in range.reversed() {
      let caller = tree.frames[index].caller
      let own = max(0, weights[index] - spent[index])
      if let function = tree.frames[index].symbol?.function, FunctionName.isIdle(function) { idle[index] += own }
      weights[index] -= min(idle[index], weights[index])
      guard range.contains(caller), caller < index else { continue }
      spent[caller] += max(1, tree.frames[index].samples)
      idle[caller] += idle[index]
      if holdsOwn[index] { holdsOwn[caller] = true }
      nextCallee[index] = firstCallee[caller]
      firstCallee[caller] = index
    }
  }

  /// The indices of the path's frames, innermost first. The path descends while a branch has at least half of the
  /// samples, or until it reaches the app's code.
  func frames() -> [Int] {
    let roots = range.filter { !range.contains(tree.frames[$0].caller) }
    guard var index = heaviest(of: roots) else { return [] }
    let whole = weights[index]
    var path = [index]
    var hasOwn = isOwn[index] && !isEntry(index)
    while let next = heaviest(of: callees(of: index)), weights[next] * 2 >= whole || (!hasOwn && holdsOwn[next]) {
      path.append(next)
      hasOwn = hasOwn || isOwn[next]
      index = next
    }
    return path.reversed()
  }

  private func callees(of index: Int) -> some Sequence<Int> {
    sequence(state: firstCallee[index]) { next in
      guard next >= 0 else { return nil }
      defer { next = nextCallee[next] }
      return next
    }
  }

  /// The frame with the most samples: among frames with code of the app, or among all if there are none. The first of
  /// equal frames.
  private func heaviest(of indices: some Sequence<Int>) -> Int? {
    indices.max { (holdsOwn[$0] ? 1 : 0, weights[$0], $1) < (holdsOwn[$1] ? 1 : 0, weights[$1], $0) }
  }

  func owner(_ index: Int) -> BinaryOwners.Owner { owners[index] }

  /// Whether the frame called another one. Its offset is then a return address.
  func calls(_ index: Int) -> Bool { firstCallee[index] >= 0 }

  /// Whether a frame is the program's entry point, `main`.
  func isEntry(_ index: Int) -> Bool {
    if let function = tree.frames[index].symbol?.function { return FunctionName.isEntry(function) }
    let caller = tree.frames[index].caller
    guard range.contains(caller), tree.binaries.indices.contains(tree.frames[caller].binary) else { return false }
    return SystemBinaries.starts(tree.binaries[tree.frames[caller].binary].name)
  }
}
