import Telemetry

/// The path of frames that identifies a diagnostic: a crash's stack, or the hottest path of a sampled tree.
struct CallPath {
  private let tree: CallTree
  private let owners: [BinaryOwners.Owner]
  private let isOwn: [Bool]
  private var weights: [Int]
  private var holdsOwn: [Bool]
  private var children: [Int: [Int]] = [:]
  private let range: Range<Int>

  init(_ tree: CallTree) {
    self.tree = tree
    let known = BinaryOwners(tree)
    owners = tree.frames.map { frame in
      if tree.binaries.indices.contains(frame.binary) { return known[frame.binary] }
      return frame.symbol != nil ? .app : .system
    }
    isOwn = owners.map { $0 == .app || $0 == .unnamed }
    range = Self.range(of: tree)
    weights = tree.frames.map { max(1, $0.samples) }
    holdsOwn = isOwn
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
      let frame = tree.frames[index]
      let own = max(0, weights[index] - spent[index])
      if let function = frame.symbol?.function, FunctionName.isIdle(function) { idle[index] += own }
      weights[index] -= min(idle[index], weights[index])
      guard range.contains(frame.caller), frame.caller < index else { continue }
      spent[frame.caller] += max(1, frame.samples)
      idle[frame.caller] += idle[index]
      if holdsOwn[index] { holdsOwn[frame.caller] = true }
      children[frame.caller, default: []].append(index)
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
    while let next = heaviest(of: children[index] ?? []), weights[next] * 2 >= whole || (!hasOwn && holdsOwn[next]) {
      path.append(next)
      hasOwn = hasOwn || isOwn[next]
      index = next
    }
    return path.reversed()
  }

  private func heaviest(of indices: [Int]) -> Int? {
    let own = indices.filter { holdsOwn[$0] }
    return (own.isEmpty ? indices : own).max { (weights[$0], $1) < (weights[$1], $0) }
  }

  func owner(_ index: Int) -> BinaryOwners.Owner { owners[index] }

  /// Whether the frame called another one, so that its offset is a return address.
  func calls(_ index: Int) -> Bool { children[index] != nil }

  /// Whether a frame is the program's entry point, `main`.
  func isEntry(_ index: Int) -> Bool {
    if let function = tree.frames[index].symbol?.function { return FunctionName.isEntry(function) }
    let caller = tree.frames[index].caller
    guard range.contains(caller), tree.binaries.indices.contains(tree.frames[caller].binary) else { return false }
    return SystemBinaries.starts(tree.binaries[tree.frames[caller].binary].name)
  }
}
