import Bytes
public import Telemetry

/// What of a diagnostic tells its cause: why it ended, and the frames of the app's own code nearest to where it did.
///
/// It is small and is kept with the store, so that a cause can be worked out again when symbols arrive, whether the
/// diagnostic itself was kept or not.
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
    /// Whose its binary is, as far as the report tells.
    public var owner: BinaryOwners.Owner
    /// What symbols said once, outermost first: kept, because symbols may go away again.
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

  /// Equal for diagnostics that will always have one fingerprint. It tells builds apart, because only a build says which
  /// function an offset is in.
  ///
  /// What symbols said is no part of it: they may come at any time.
  public var hash: UInt64 {
    var hash = StableHash()
    for byte in encoded(withSymbols: false) { hash.add(UInt64(byte)) }
    return hash.value
  }
}
