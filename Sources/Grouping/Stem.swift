import Bytes
public import Telemetry

/// What of a diagnostic tells its cause: why it ended, and the frames of the app's own code nearest to where it did.
///
/// It is small and is kept with the store, so that a cause can be worked out again when symbols arrive, whether the
/// diagnostic itself was kept or not.
public struct Stem: Hashable, Sendable {
  public var kind: DiagnosticKind
  public var cause: Cause
  /// Innermost first: the app's own frames, or the system's when it has none.
  public var frames: [Frame]
  /// The frames are the app's own.
  public var isOwn: Bool
  /// The stack ended behind the last of them, before a thread's first frame: there may have been more.
  public var isCut: Bool

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
    /// What symbols said once, outermost first: kept, because symbols may go away again.
    public var names: [String]

    public init(
      binary: String, uuid: String = "", offset: UInt64? = nil, isReturn: Bool = false, function: String = "",
      isEntry: Bool = false, isApart: Bool = false, names: [String] = []
    ) {
      self.binary = binary
      self.uuid = uuid
      self.offset = offset
      self.isReturn = isReturn
      self.function = function
      self.isEntry = isEntry
      self.isApart = isApart
      self.names = names
    }

    /// Where the call is, for looking it up.
    public var callOffset: UInt64? { offset.map { isReturn && $0 > 0 ? $0 - 1 : $0 } }
  }

  public init(kind: DiagnosticKind, cause: Cause, frames: [Frame], isOwn: Bool, isCut: Bool) {
    self.kind = kind
    self.cause = cause
    self.frames = frames
    self.isOwn = isOwn
    self.isCut = isCut
  }

  /// More frames than a fingerprint looks at: some turn out to be helpers once their names are known.
  static let mostFrames = 8

  /// Equal for diagnostics that will always have one fingerprint. It tells builds apart, because only a build says which
  /// function an offset is in.
  ///
  /// Names that symbols gave are no part of it: they may come at any time.
  public var hash: UInt64 {
    var hash = StableHash()
    for byte in encoded(withNames: false) { hash.add(UInt64(byte)) }
    return hash.value
  }

  /// The stem as bytes, with a version in front: 2 when symbols gave names, else 1.
  public func encoded() -> [UInt8] { encoded(withNames: frames.contains { !$0.names.isEmpty }) }

  private func encoded(withNames: Bool) -> [UInt8] {
    var writer = ByteWriter(reserving: 64 * frames.count + 32)
    writer.byte(withNames ? 2 : 1)
    writer.byte(kind.rawValue)
    writer.string(cause.key)
    writer.byte((isOwn ? 1 : 0) | (isCut ? 2 : 0))
    writer.count(frames.count)
    for frame in frames {
      writer.string(frame.binary)
      writer.string(frame.uuid)
      writer.byte(
        (frame.offset == nil ? 0 : 1) | (frame.isReturn ? 2 : 0) | (frame.isEntry ? 4 : 0) | (frame.isApart ? 8 : 0))
      if let offset = frame.offset { writer.varint(offset) }
      writer.string(frame.function)
      guard withNames else { continue }
      writer.count(frame.names.count)
      for name in frame.names { writer.string(name) }
    }
    return writer.withBytes { Array($0) }
  }

  /// Reads what `encoded` wrote; nil for anything else. The title of its cause is not in there.
  public init?(encoded bytes: [UInt8], title: String) {
    let read = try? bytes.withUnsafeBytes { buffer throws -> Stem? in
      var reader = ByteReader(buffer)
      let version = try reader.byte()
      guard (1...2).contains(version), let kind = DiagnosticKind(rawValue: try reader.byte()) else { return nil }
      let key = try reader.string()
      let flags = try reader.byte()
      var frames: [Frame] = []
      for _ in 0..<(try reader.count()) { frames.append(try Self.frame(&reader, version)) }
      return Stem(
        kind: kind, cause: Cause(key: key, title: title), frames: frames, isOwn: flags & 1 != 0, isCut: flags & 2 != 0)
    }
    guard let stem = read ?? nil else { return nil }
    self = stem
  }

  private static func frame(_ reader: inout ByteReader, _ version: UInt8) throws -> Frame {
    let binary = try reader.string()
    let uuid = try reader.string()
    let flags = try reader.byte()
    let offset = flags & 1 != 0 ? try reader.varint() : nil
    var frame = Frame(
      binary: binary, uuid: uuid, offset: offset, isReturn: flags & 2 != 0, function: try reader.string(),
      isEntry: flags & 4 != 0, isApart: flags & 8 != 0)
    guard version > 1 else { return frame }
    for _ in 0..<(try reader.count()) { frame.names.append(try reader.string()) }
    return frame
  }
}
