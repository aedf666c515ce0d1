internal import Telemetry

extension CallTreeReader {
  /// What a tree is that comes without a word about itself: what branches was sampled.
  var likelyKind: DiagnosticKind {
    if !isPerThread { return .cpuException }
    let isSampled = stacks.contains { stack in
      !stack.isList && (stack.branches || frames[stack.range].count { $0.caller < 0 } > 1)
    }
    return isSampled ? .hang : .crash
  }

  /// The tree with outermost frames first.
  ///
  /// The thread of a hang that holds up the main run loop is the first, whatever the flags say; a sole stack is the one it
  /// is about.
  mutating func tree(of kind: DiagnosticKind, mainThreadIsFirst: Bool) -> CallTree {
    for stack in stacks where stack.isList || (kind.isWrittenInnermostFirst && !stack.branches) {
      turnAround(stack.range)
    }
    let firstIsMain = kind == .hang && mainThreadIsFirst
    let threads = stacks.enumerated().map { place, stack in
      let isAttributed = firstIsMain ? place == 0 : stack.isAttributed ?? (stacks.count == 1)
      return CallTree.Thread(range: stack.range, isAttributed: isAttributed)
    }
    return CallTree(binaries: binaries.all, frames: frames, threads: threads)
  }

  /// Turns chains around: each runs until the next frame without a caller.
  private mutating func turnAround(_ range: Range<Int>) {
    var start = range.lowerBound
    while start < range.upperBound {
      var next = start + 1
      while next < range.upperBound, frames[next].caller >= 0 { next += 1 }
      frames[start..<next].reverse()
      for place in start..<next { frames[place].caller = place == start ? -1 : place - 1 }
      start = next
    }
  }
}
