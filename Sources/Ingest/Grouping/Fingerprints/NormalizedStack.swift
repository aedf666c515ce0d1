import Core

/// The part of a diagnostic that identifies its cause: the reason the app ended, and the innermost frames of the app.
///
/// It is small and always stored, so that its fingerprint can be computed again when symbols arrive, even if the
/// diagnostic's body is no longer kept.
public struct NormalizedStack: Hashable, Sendable {
  var kind: DiagnosticKind
  public var cause: Cause
  /// The frames, innermost first and each once: those of the app and of binaries that may turn out to be the app's; the
  /// system's if there are none.
  var frames: [Frame]
  /// Whether the stored frames are the app's own.
  var isOwn: Bool
  /// Whether the stack was truncated after the last frame, so that more may have followed.
  var isCut: Bool
  /// Whether the stack overflowed. The frames are then the recursive cycle, without the way into it.
  var isOverflow: Bool = false

  /// A call in a normalized stack.
  struct Frame: Hashable, Sendable {
    /// The name of the binary; empty when unknown.
    var binary: String
    /// The binary's UUID as 32 upper-case hexadecimal digits; empty when unknown.
    var uuid: String
    /// The offset from the start of the binary, in bytes; nil when unknown.
    var offset: UInt64?
    /// Whether the offset is a return address, which is after the call.
    var isReturn: Bool
    /// The function's name from the client; empty without one.
    var function: String
    /// Whether the frame is the program's entry point, such as `main`.
    var isEntry: Bool
    /// Whether system code is between this frame and the preceding one in the list.
    var isApart: Bool
    /// The owner of the frame's binary, as far as the report shows.
    var owner: BinaryOwners.Owner
    /// The names found by symbols, outermost first. They are stored, because symbols may be removed later.
    var names: [String]
    /// Whether there were ever symbols for the frame's binary, which shows that the binary is the app's, whatever its
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

    /// The offset to look up: for a return address one byte less, to be inside the call.
    var callOffset: UInt64? { offset.map { isReturn && $0 > 0 ? $0 - 1 : $0 } }
  }

  /// The most frames: more than a fingerprint uses, because some turn out to be helpers once they have names.
  static let mostFrames = 8

  /// A hash that is equal for diagnostics that will always have the same fingerprint. It differs between builds,
  /// because an offset belongs to a function only within a build. Names found by symbols are not part of it.
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

  /// The most stored names per frame. Of several inlined functions the innermost are kept.
  private static let mostNames = 20
  /// The length to which a stored name is cut, in bytes.
  private static let longestName = 1_000

  private static func short(_ name: String) -> String {
    name.utf8.count <= longestName ? name : String(decoding: name.utf8.prefix(longestName), as: UTF8.self)
  }
}

extension NormalizedStack {
  /// The frames that identify the cause, according to what is known of their binaries now.
  struct Decisive {
    var frames: [Frame]
    /// Whether the selected frames are the app's own.
    var isOwn: Bool
    /// Whether the outermost stored frame is one of the selected frames.
    var holdsLast: Bool
  }

  /// The app's frames; if there are none, those of binaries without a name; else all frames, which are the system's.
  ///
  /// `own` are names of binaries that the team declared the app's. `hasSymbols` returns whether there are symbols for a
  /// UUID.
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
