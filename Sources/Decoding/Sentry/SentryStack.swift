internal import JSON
internal import Telemetry

/// The frames of one stack as they were sent: a chain, outermost first, or a tree in which each names its caller.
struct SentryStack {
  private var frames: [CallTree.Frame] = []
  private var callers: [Int?] = []
  private var isTree = false

  /// `caller` is the place of the calling frame among the frames that were sent.
  mutating func add(_ frame: CallTree.Frame, caller: JSONValue?, of element: JSONValue) {
    let place = caller.flatMap { $0.kind == .integer ? try? $0.integer() : nil }
    if place != nil { isTree = true }
    frames.append(frame)
    callers.append(place)
  }

  /// The frames, every caller before those it calls, when the first of them stands at `base`.
  func frames(from base: Int) -> [CallTree.Frame] {
    guard isTree else {
      return frames.indices.map { index in linked(index, to: index == 0 ? -1 : base + index - 1) }
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
    // Frames that call each other in a circle hang from nothing, and are not reached.
    var ordered: [CallTree.Frame] = []
    while let (index, caller) = waiting.popLast() {
      ordered.append(linked(index, to: caller))
      let place = base + ordered.count - 1
      for next in called[index] { waiting.append((next, place)) }
    }
    return ordered
  }

  private func linked(_ index: Int, to caller: Int) -> CallTree.Frame {
    var frame = frames[index]
    frame.caller = caller
    return frame
  }
}
