internal import Core

/// The frames of one stack as sent: a chain, outermost first, or a tree in which each frame has its caller's index.
struct SentryStack {
  private var frames: [CallTree.Frame] = []
  private var callers: [Int?] = []
  private var isTree = false

  /// Adds a frame. `caller` is the index of the calling frame among the sent frames.
  mutating func add(_ frame: CallTree.Frame, caller: JSONValue?) {
    let index = caller.flatMap { $0.kind == .integer ? $0.integerOrNil : nil }
    if index != nil { isTree = true }
    frames.append(frame)
    callers.append(index)
  }

  /// The frames, callers before callees. Caller indices count from `base`, the position of the first frame in the call
  /// tree.
  consuming func frames(from base: Int) -> [CallTree.Frame] {
    guard isTree else {
      for index in frames.indices.dropFirst() { frames[index].caller = base + index - 1 }
      return frames
    }
    var called: [[Int]] = Array(repeating: [], count: frames.count)
    var waiting: [(frame: Int, caller: Int)] = []
    for index in frames.indices.reversed() {
      if let caller = callers[index], frames.indices.contains(caller), caller != index {
        called[caller].append(index)
      } else {
        waiting.append((index, -1))
      }
    }
    // Frames that call each other in a cycle are unreachable and left out.
    var ordered: [CallTree.Frame] = []
    while let (index, caller) = waiting.popLast() {
      ordered.append(linked(index, to: caller))
      let parent = base + ordered.count - 1
      for next in called[index] { waiting.append((next, parent)) }
    }
    return ordered
  }

  private func linked(_ index: Int, to caller: Int) -> CallTree.Frame {
    var frame = frames[index]
    frame.caller = caller
    return frame
  }
}
