public import Core

extension NormalizedStack {
  /// Creates the stack that identifies the diagnostic's cause.
  public init(_ kind: DiagnosticKind, _ exception: ExceptionDetails, _ calls: CallTree) {
    self.init(kind, exception, calls, BinaryOwners(calls))
  }

  init(_ kind: DiagnosticKind, _ exception: ExceptionDetails, _ calls: CallTree, _ owners: BinaryOwners) {
    var cause = Cause(kind, exception)
    let path = CallPath(cause.isOfMainThread ? Self.mainThread(of: calls) : calls, owners)
    var choice = StackFrames(calls, path)
    let frames = choice.frames()
    if choice.isOverflow, kind == .crash { cause = .stackOverflow }
    // A truncated stack ends with code of the app, because complete ones start in system code.
    self.init(
      kind: kind, cause: cause, frames: frames, isOwn: choice.isOwn, isCut: choice.endsInApp && !choice.isOverflow,
      isOverflow: choice.isOverflow)
  }

  /// The call tree with the first thread, the main one, attributed if no thread is: watchdog reports often lack the
  /// flag.
  private static func mainThread(of calls: CallTree) -> CallTree {
    if calls.threads.contains(where: { $0.isAttributed && !$0.range.isEmpty }) { return calls }
    var calls = calls
    if !calls.threads.isEmpty { calls.threads[0].isAttributed = true }
    return calls
  }
}

/// Selects the frames of a path that are kept in a stack.
private struct StackFrames {
  /// Whether some of the kept frames belong to the app, as far as the report shows.
  let isOwn: Bool
  /// Whether recursion filled the stack.
  private(set) var isOverflow = false
  /// Whether the outermost frame is kept and belongs, or may belong, to the app.
  private(set) var endsInApp = false

  private let calls: CallTree
  private let path: CallPath
  private let frameIndices: [Int]
  /// The depths of the frames that belong, or may belong, to the app.
  private let candidates: [Int]

  /// The number of repetitions that count as a stack overflow. Systems report some 500 frames of one.
  private static let overflow = 200
  /// The fewest repetitions of a frame that belongs to an overflow. Others show where the stack ended or how the
  /// recursion began.
  private static let fewestRounds = 3

  /// The values that are equal for two frames of the same call.
  private struct Identity: Hashable {
    let binary: Int
    let offset: UInt64?
    let function: String?
  }

  init(_ calls: CallTree, _ path: CallPath) {
    self.calls = calls
    self.path = path
    frameIndices = path.frames()
    let frameIndices = frameIndices
    candidates = frameIndices.indices.filter { path.owner(frameIndices[$0]) != .system }
    // `main` is below everything, so that alone it identifies no cause.
    isOwn = candidates.contains {
      path.owner(frameIndices[$0]) != .listed && !path.isEntry(frameIndices[$0])
    }
  }

  mutating func frames() -> [NormalizedStack.Frame] { isOwn ? ownFrames() : systemFrames() }

  /// The app's frames, each once, however often a function called itself.
  private mutating func ownFrames() -> [NormalizedStack.Frame] {
    var rounds: [Identity: Int] = [:]
    if candidates.count > Self.overflow {
      for depth in candidates { rounds[identity(depth), default: 0] += 1 }
      isOverflow = candidates.count - rounds.count >= Self.overflow
    }
    var seen: Set<Identity> = []
    var frames: [NormalizedStack.Frame] = []
    var left = [NormalizedStack.mostFrames, NormalizedStack.mostFrames]
    var isWhole = true
    for (index, depth) in candidates.enumerated() {
      let identity = identity(depth)
      if isOverflow, rounds[identity, default: 0] < Self.fewestRounds { continue }
      guard seen.insert(identity).inserted else { continue }
      let sort = path.owner(frameIndices[depth]) == .listed ? 1 : 0
      guard left[sort] > 0 else {
        isWhole = false
        continue
      }
      left[sort] -= 1
      frames.append(frame(depth, isApart: index > 0 && breaks(between: candidates[index - 1], depth)))
    }
    endsInApp = isWhole && endsInCandidate
    return frames
  }

  /// The system's frames, which are used until symbols show that one of them is the app's.
  private mutating func systemFrames() -> [NormalizedStack.Frame] {
    var kept = Array(frameIndices.indices.prefix(NormalizedStack.mostFrames))
    kept += candidates.filter { $0 >= NormalizedStack.mostFrames && path.owner(frameIndices[$0]) == .listed }.prefix(
      NormalizedStack.mostFrames)
    endsInApp = kept.last == frameIndices.count - 1 && endsInCandidate
    return kept.enumerated().map { index, depth in
      frame(depth, isApart: index > 0 && breaks(between: kept[index - 1], depth))
    }
  }

  private var endsInCandidate: Bool {
    frameIndices.last.map { path.owner($0) != .system && !path.isEntry($0) } ?? false
  }

  private func identity(_ depth: Int) -> Identity {
    let index = frameIndices[depth]
    return Identity(
      binary: calls.frames[index].binary, offset: calls.frames[index].offset,
      function: calls.frames[index].symbol?.function)
  }

  /// Whether there is system code between two frames of the path that may call back later, so that they do not belong
  /// together.
  private func breaks(between inner: Int, _ outer: Int) -> Bool {
    frameIndices[(inner + 1)..<max(inner + 1, outer)].contains { index in
      let binary = calls.frames[index].binary
      return calls.binaries.indices.contains(binary) && !SystemBinaries.callsBack(calls.binaries[binary].name)
    }
  }

  private func frame(_ depth: Int, isApart: Bool) -> NormalizedStack.Frame {
    let index = frameIndices[depth]
    let frame = calls.frames[index]
    let binary = calls.binaries.indices.contains(frame.binary) ? calls.binaries[frame.binary] : nil
    return NormalizedStack.Frame(
      binary: binary?.name ?? "", uuid: binary?.uuid ?? "", offset: frame.offset, isReturn: path.calls(index),
      function: frame.symbol?.function ?? "", isEntry: path.isEntry(index), isApart: isApart,
      owner: path.owner(index))
  }
}
