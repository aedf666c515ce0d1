import Telemetry

/// The one path of frames that a diagnostic is about: a crash's own stack, and of a sampled tree its hottest path.
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

  /// The thread the diagnostic is about; the first where none is marked.
  private static func range(of tree: CallTree) -> Range<Int> {
    let threads = tree.threads.filter { !$0.range.isEmpty && $0.range.upperBound <= tree.frames.count }
    return (threads.first(where: \.isAttributed) ?? threads.first)?.range ?? tree.frames.indices
  }

  /// Samples spent waiting for work are no work: they are taken off every caller.
  private mutating func addUp() {
    var spent = [Int](repeating: 0, count: tree.frames.count)
    var idle = spent
    for place in range.reversed() {
      let frame = tree.frames[place]
      let own = max(0, weights[place] - spent[place])
      if let function = frame.symbol?.function, FunctionName.isIdle(function) { idle[place] += own }
      weights[place] -= min(idle[place], weights[place])
      guard range.contains(frame.caller), frame.caller < place else { continue }
      spent[frame.caller] += max(1, frame.samples)
      idle[frame.caller] += idle[place]
      if holdsOwn[place] { holdsOwn[frame.caller] = true }
      children[frame.caller, default: []].append(place)
    }
  }

  /// Places of frames, innermost first. It goes down while a branch holds at least half of the samples, and until the
  /// app's own code is reached.
  func frames() -> [Int] {
    let roots = range.filter { !range.contains(tree.frames[$0].caller) }
    guard var place = heaviest(of: roots) else { return [] }
    let whole = weights[place]
    var path = [place]
    var hasOwn = isOwn[place] && !isEntry(place)
    while let next = heaviest(of: children[place] ?? []), weights[next] * 2 >= whole || (!hasOwn && holdsOwn[next]) {
      path.append(next)
      hasOwn = hasOwn || isOwn[next]
      place = next
    }
    return path.reversed()
  }

  private func heaviest(of places: [Int]) -> Int? {
    let own = places.filter { holdsOwn[$0] }
    return (own.isEmpty ? places : own).max { (weights[$0], $1) < (weights[$1], $0) }
  }

  func owner(_ place: Int) -> BinaryOwners.Owner { owners[place] }

  /// Whether the frame called another: its offset is where that one returns to.
  func calls(_ place: Int) -> Bool { children[place] != nil }

  /// `main`: everything runs below it.
  func isEntry(_ place: Int) -> Bool {
    if let function = tree.frames[place].symbol?.function { return FunctionName.isEntry(function) }
    let caller = tree.frames[place].caller
    guard range.contains(caller), tree.binaries.indices.contains(tree.frames[caller].binary) else { return false }
    return SystemBinaries.starts(tree.binaries[tree.frames[caller].binary].name)
  }
}
