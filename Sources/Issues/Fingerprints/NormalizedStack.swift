import Bytes
public import Telemetry

/// The part of a diagnostic that identifies its cause: why the app ended, and the app's own frames nearest to that point.
///
/// It is small and is stored, so that a fingerprint can be made again when symbols arrive, whether the diagnostic itself was
/// kept or not.
public struct NormalizedStack: Hashable, Sendable {
  public var kind: DiagnosticKind
  public var cause: Cause
  /// Innermost first: the app's own frames and those of binaries that may turn out to be its own, each once; or the
  /// system's when it has none.
  public var frames: [Frame]
  /// The frames are the app's own.
  public var isOwn: Bool
  /// The stack ended behind the last of them, before a thread's first frame: there may have been more.
  public var isCut: Bool
  /// The stack overflowed: the frames are the circle that filled it, and not how it was reached.
  public var isOverflow: Bool

  /// One call.
  public struct Frame: Hashable, Sendable {
    /// Empty when unknown.
    public var binary: String
    /// 32 upper-case hexadecimal digits, or empty.
    public var uuid: String
    /// Bytes from the start of the binary; nil when unknown.
    public var offset: UInt64?
    /// The offset is where a call returns to, one behind the call.
    public var isReturn: Bool
    /// The client's name for it; empty without.
    public var function: String
    /// The outermost function of a program.
    public var isEntry: Bool
    /// The frame before this one in the list was not called by it directly: code of the system lies between.
    public var isApart: Bool
    /// The owner of its binary, as far as the report shows.
    public var owner: BinaryOwners.Owner
    /// The names found by symbols, outermost first: kept, because symbols may be removed again.
    public var names: [String]
    /// There were symbols for its binary once: it is the app's own, whatever it is called.
    public var hadSymbols = false

    public init(
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

    /// Where the call is, for looking it up.
    public var callOffset: UInt64? { offset.map { isReturn && $0 > 0 ? $0 - 1 : $0 } }
  }

  public init(
    kind: DiagnosticKind, cause: Cause, frames: [Frame], isOwn: Bool, isCut: Bool, isOverflow: Bool = false
  ) {
    self.kind = kind
    self.cause = cause
    self.frames = frames
    self.isOwn = isOwn
    self.isCut = isCut
    self.isOverflow = isOverflow
  }

  /// More frames than a fingerprint looks at: some turn out to be helpers once their names are known.
  static let mostFrames = 8

  /// Equal for diagnostics that will always have one fingerprint. It differs between builds, because an offset has a function
  /// only within a build.
  ///
  /// Names found by symbols are no part of it: they may come at any time.
  public var hash: UInt64 {
    var hash = StableHash()
    for byte in encoded(withSymbols: false) { hash.add(UInt64(byte)) }
    return hash.value
  }
}

extension NormalizedStack {
  /// The stack with the names that `symbols` has of its frames, by binary and offset of the call. A frame without names there
  /// keeps those it had.
  public func named(by symbols: [String: [UInt64: [CallTree.Symbol]]]) -> NormalizedStack {
    var stack = self
    for (index, frame) in frames.enumerated() {
      if frame.owner != .app, !frame.uuid.isEmpty, symbols[frame.uuid] != nil { stack.frames[index].hadSymbols = true }
      guard let offset = frame.callOffset, let found = symbols[frame.uuid]?[offset], !found.isEmpty else { continue }
      stack.frames[index].names = found.suffix(Self.mostNames).map { Self.short($0.function) }
    }
    return stack
  }

  /// The stack with the names that another one has of code at the same places of the same build.
  public func named(like other: NormalizedStack) -> NormalizedStack {
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

  /// Bounds on stored names, which may have any length in symbols. Of functions inlined into one place the innermost are kept.
  private static let mostNames = 20
  private static let longestName = 1_000

  private static func short(_ name: String) -> String {
    name.utf8.count <= longestName ? name : String(decoding: name.utf8.prefix(longestName), as: UTF8.self)
  }
}

extension NormalizedStack {
  /// The frames that identify its cause, with what is known of their binaries now.
  struct Decisive {
    var frames: [Frame]
    /// They are the app's own.
    var isOwn: Bool
    /// The outermost frame that was kept is one of them.
    var holdsLast: Bool
  }

  /// The app's own frames; those of binaries without a name where there are none; else all, which are the system's.
  ///
  /// `own`: names of binaries that the team calls its own. `hasSymbols`: whether there are symbols for a UUID.
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

  /// How many of its frames are known to be the app's own, among them those of binaries called `own`. It grows when symbols
  /// say so.
  public func ownFrames(_ own: Set<String> = []) -> Int { frames.count { $0.isOwn(own) } }
}

extension NormalizedStack.Frame {
  fileprivate func isOwn(_ own: Set<String>) -> Bool { owner == .app || hadSymbols || own.contains(binary) }
}
