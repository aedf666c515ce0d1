internal import Core

/// The callers of one stack's frames as sent: none for a chain, outermost first; in a tree each frame has its caller's
/// index among the sent frames.
struct SentryCallers {
  private var callers: [Int?] = []
  private var isTree = false

  /// Adds the index of a frame's caller.
  mutating func add(_ caller: JSONValue?) {
    let index = caller.flatMap { $0.kind == .integer ? $0.integerOrNil : nil }
    if index != nil { isTree = true }
    callers.append(index)
  }

  /// Sets the callers of the frames from `base` on, and moves callers before callees.
  func link(_ frames: inout [CallTree.Frame], from base: Int) {
    guard isTree else {
      for index in frames.indices.dropFirst(base + 1) { frames[index].caller = index - 1 }
      return
    }
    let sent = Array(frames[base...])
    frames.removeSubrange(base...)
    var called: [[Int]] = Array(repeating: [], count: sent.count)
    var waiting: [(frame: Int, caller: Int)] = []
    for index in sent.indices.reversed() {
      if let caller = callers[index], sent.indices.contains(caller), caller != index {
        called[caller].append(index)
      } else {
        waiting.append((index, -1))
      }
    }
    // Frames that call each other in a cycle are unreachable and left out.
    while let (index, caller) = waiting.popLast() {
      var frame = sent[index]
      frame.caller = caller
      frames.append(frame)
      let parent = frames.count - 1
      for next in called[index] { waiting.append((next, parent)) }
    }
  }
}
