public import Core

/// The part of a diagnostic that identifies its cause: the reason why the app ended and the app's innermost frames.
///
/// It is small and always stored, so that its fingerprint can be computed again when symbols arrive, even if the
/// diagnostic's body was deleted.
public struct NormalizedStack: Hashable, Sendable {
  var kind: DiagnosticKind
  public var cause: DiagnosticCause
  /// The frames, innermost first, without repetitions: those of the app and of binaries that may turn out to be the
  /// app's, or the system's if there are none.
  var frames: [Frame]
  /// Whether the stored frames are the app's own.
  var isOwn: Bool
  /// Whether the stack was truncated after the last frame. More frames may have followed.
  var isCut: Bool
  /// Whether the stack overflowed. The frames are then the recursive cycle, without the calls that led to it.
  var isOverflow: Bool = false

  /// A call in a normalized stack.
  struct Frame: Hashable, Sendable {
    /// The name of the binary; empty if unknown.
    var binary: String
    /// The binary's UUID as 32 upper-case hexadecimal digits; empty if unknown.
    var uuid: String
    /// The offset from the start of the binary, in bytes; nil if unknown.
    var offset: UInt64?
    /// Whether the offset is a return address, which follows the call.
    var isReturn: Bool
    /// The function's name from the client; empty if not sent.
    var function: String
    /// Whether the frame is the program's entry point, such as `main`.
    var isEntry: Bool
    /// Whether system code is between this frame and the preceding one in the list.
    var isApart: Bool
    /// The owner of the frame's binary, as far as the report shows.
    var owner: BinaryOwners.Owner
    /// The names from symbols, outermost first. They are stored, because symbols may be removed later.
    var names: [String]
    /// Whether there were ever symbols for the frame's binary. Symbols show that the binary is the app's, whatever its
    /// name.
    var hadSymbols = false

    init(
      binary: String, uuid: String = "", offset: UInt64? = nil, isReturn: Bool = false, function: String = "",
      isEntry: Bool = false, isApart: Bool = false, owner: BinaryOwners.Owner = .app, names: [String] = []
    ) {
      self.binary = binary
      self.uuid = uuid
      self.offset = offset
      self.isReturn = isReturn
      self.function = function
      self.isEntry = isEntry
      self.isApart = isApart
      self.owner = owner
      self.names = names
    }

    /// The offset to look up. For a return address it is one byte less, so that it is inside the call.
    var callOffset: UInt64? { offset.map { isReturn && $0 > 0 ? $0 - 1 : $0 } }
  }

  /// The most frames. A fingerprint uses fewer, but some frames turn out to be helpers once they have names.
  static let mostFrames = 8

  /// A hash that is equal for diagnostics that always have the same fingerprint. It differs between builds, because an
  /// offset means a function only within a build. Names from symbols are not part of it.
  var hash: UInt64 {
    var hash = StableHash()
    for byte in encoded(withSymbols: false) { hash.add(UInt64(byte)) }
    return hash.value
  }
}

extension NormalizedStack {
  /// The stack with names from `symbols`, by UUID and offset of the call. Frames without names there keep theirs.
  func named(by symbols: [String: [UInt64: [CallTree.Symbol]]]) -> NormalizedStack {
    var stack = self
    for (index, frame) in frames.enumerated() {
      if frame.owner != .app, !frame.uuid.isEmpty, symbols[frame.uuid] != nil { stack.frames[index].hadSymbols = true }
      guard let offset = frame.callOffset, let found = symbols[frame.uuid]?[offset], !found.isEmpty else { continue }
      stack.frames[index].names = found.suffix(Self.mostNames).map { Self.short($0.function) }
    }
    return stack
  }

  /// The stack with the names that another stack has for the same offsets of the same build.
  func named(like other: NormalizedStack) -> NormalizedStack {
    var stack = self
    for (index, frame) in frames.enumerated() where frame.names.isEmpty && !frame.uuid.isEmpty {
      let twin = other.frames.first {
        $0.uuid == frame.uuid && $0.callOffset == frame.callOffset && frame.callOffset != nil && !$0.names.isEmpty
      }
      guard let twin else { continue }
      stack.frames[index].names = twin.names
      stack.frames[index].hadSymbols = twin.hadSymbols
    }
    return stack
  }

  /// The most stored names per frame. The innermost of several inlined functions are kept.
  private static let mostNames = 20
  /// The length to which a stored name is cut, in bytes.
  private static let longestName = 1_000

  private static func short(_ name: String) -> String {
    name.utf8.count <= longestName ? name : String(decoding: name.utf8.prefix(longestName), as: UTF8.self)
  }
}

extension NormalizedStack {
  /// The frames that identify the cause, by current information about their binaries.
  struct Decisive {
    var frames: [Frame]
    /// Whether the selected frames are the app's own.
    var isOwn: Bool
    /// Whether the outermost stored frame is one of the selected frames.
    var holdsLast: Bool
  }

  /// The app's frames. If there are none, those of binaries without a name. Otherwise all frames, which are the
  /// system's.
  ///
  /// `own` are names of binaries that the team declared as the app's own. `hasSymbols` returns whether there are
  /// symbols for a UUID.
  func decisive(_ own: Set<String>, _ hasSymbols: (String) -> Bool) -> Decisive {
    let isKnown = frames.map { frame in
      frame.isOwn(own) || (!frame.uuid.isEmpty && hasSymbols(frame.uuid))
    }
    if frames.indices.contains(where: { isKnown[$0] && !frames[$0].isEntry }) { return decisive(isKnown) }
    let isUnnamed = frames.indices.map { isKnown[$0] || frames[$0].owner == .unnamed }
    if frames.indices.contains(where: { isUnnamed[$0] && !frames[$0].isEntry }) { return decisive(isUnnamed) }
    return Decisive(frames: frames, isOwn: isOwn && frames.contains { $0.owner != .system }, holdsLast: true)
  }

  private func decisive(_ isChosen: [Bool]) -> Decisive {
    var chosen: [Frame] = []
    var isApart = false
    for (frame, isOwn) in zip(frames, isChosen) {
      isApart = isApart || frame.isApart
      guard isOwn else {
        isApart = isApart || !SystemBinaries.callsBack(frame.binary)
        continue
      }
      var frame = frame
      frame.isApart = isApart && !chosen.isEmpty
      chosen.append(frame)
      isApart = false
    }
    return Decisive(frames: chosen, isOwn: true, holdsLast: isChosen.last ?? true)
  }

  /// The number of frames known to be the app's, including those of binaries in `own`. Symbols can increase it.
  func ownFrames(_ own: Set<String> = []) -> Int { frames.count { $0.isOwn(own) } }
}

extension NormalizedStack.Frame {
  fileprivate func isOwn(_ own: Set<String>) -> Bool { owner == .app || hadSymbols || own.contains(binary) }
}

extension NormalizedStack {
  /// Creates the stack that identifies the diagnostic's cause.
  public init(_ kind: DiagnosticKind, _ exception: ExceptionDetails, _ calls: CallTree) {
    self.init(kind, exception, calls, BinaryOwners(calls))
  }

  init(_ kind: DiagnosticKind, _ exception: ExceptionDetails, _ calls: CallTree, _ owners: BinaryOwners) {
    var cause = DiagnosticCause(kind, exception)
    let path = CallPath(cause.isOfMainThread ? Self.mainThread(of: calls) : calls, owners)
    var choice = StackFrames(calls, path)
    let frames = choice.frames()
    if choice.isOverflow, kind == .crash { cause = .stackOverflow }
    // A truncated stack ends with code of the app, because complete stacks start in system code.
    self.init(
      kind: kind, cause: cause, frames: frames, isOwn: choice.isOwn, isCut: choice.endsInApp && !choice.isOverflow,
      isOverflow: choice.isOverflow)
  }

  /// The call tree in which the first thread, the main thread, is attributed if no thread is. Watchdog reports often
  /// lack the flag.
  private static func mainThread(of calls: CallTree) -> CallTree {
    if calls.threads.contains(where: { $0.isAttributed && !$0.range.isEmpty }) { return calls }
    var calls = calls
    if !calls.threads.isEmpty { calls.threads[0].isAttributed = true }
    return calls
  }
}

/// Selects the frames of a path to store in a stack.
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

  /// The number of repetitions that count as a stack overflow. Systems report about 500 frames of one.
  private static let overflow = 200
  /// The fewest repetitions of a frame that belongs to an overflow. Other frames show where the stack ended or how the
  /// recursion began.
  private static let fewestRounds = 3
  /// The number of kept frames that stacks usually have.
  private static let usual = NormalizedStack.mostFrames

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
    // `main` is below everything, so alone it identifies no cause.
    isOwn = candidates.contains {
      path.owner(frameIndices[$0]) != .listed && !path.isEntry(frameIndices[$0])
    }
  }

  mutating func frames() -> [NormalizedStack.Frame] { isOwn ? ownFrames() : systemFrames() }

  /// The app's frames without repetitions, however often a function called itself.
  private mutating func ownFrames() -> [NormalizedStack.Frame] {
    var rounds: [Identity: Int] = [:]
    if candidates.count > Self.overflow {
      for depth in candidates { rounds[identity(depth), default: 0] += 1 }
      isOverflow = candidates.count - rounds.count >= Self.overflow
    }
    // At most a few more than are kept, so that comparing them takes less time than hashing.
    var seen: [Identity] = []
    var frames: [NormalizedStack.Frame] = []
    frames.reserveCapacity(min(candidates.count, Self.usual))
    seen.reserveCapacity(min(candidates.count, Self.usual))
    var left = [NormalizedStack.mostFrames, NormalizedStack.mostFrames]
    var isWhole = true
    for (index, depth) in candidates.enumerated() {
      let identity = identity(depth)
      if isOverflow, rounds[identity, default: 0] < Self.fewestRounds { continue }
      let sort = path.owner(frameIndices[depth]) == .listed ? 1 : 0
      // Neither a new frame nor a repetition would change anything.
      if !isWhole, left[sort] == 0 { continue }
      if seen.contains(identity) { continue }
      seen.append(identity)
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

  /// The system's frames. They are used until symbols show that one of them is the app's.
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

  /// Whether system code between two frames of the path may call back later. The frames then do not belong together.
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
