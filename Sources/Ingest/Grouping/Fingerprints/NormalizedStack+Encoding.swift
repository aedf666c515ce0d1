import Core

extension NormalizedStack {
  /// The stored form of the stack, which starts with a version. In versions 1 and 2, as in all older rows, owners
  /// follow from the names of binaries. Versions 3 and 4 contain the owners. Even versions contain names from symbols.
  public func encoded() -> [UInt8] {
    encoded(withSymbols: frames.contains { !$0.names.isEmpty || $0.hadSymbols })
  }

  func encoded(withSymbols: Bool) -> [UInt8] {
    let isPlain =
      !isOverflow
      && frames.allSatisfy { $0.owner == Self.owner(of: $0.binary, isOwn) && !(withSymbols && $0.hadSymbols) }
    let version: UInt8 = (isPlain ? 1 : 3) + (withSymbols ? 1 : 0)
    var writer = ByteWriter(reserving: 64 * frames.count + 32)
    writer.byte(version)
    writer.byte(kind.rawValue)
    writer.string(cause.key)
    writer.byte((isOwn ? 1 : 0) | (isCut ? 2 : 0) | (isOverflow ? 4 : 0))
    writer.count(frames.count)
    for frame in frames { Self.write(frame, version, into: &writer) }
    return writer.withBytes { Array($0) }
  }

  private static func write(_ frame: Frame, _ version: UInt8, into writer: inout ByteWriter) {
    writer.string(frame.binary)
    writer.string(frame.uuid)
    var flags: UInt8 = (frame.offset == nil ? 0 : 1) | (frame.isReturn ? 2 : 0) | (frame.isEntry ? 4 : 0)
    if frame.isApart { flags |= 8 }
    if version >= 3 { flags |= frame.owner.rawValue << 4 }
    if version == 4, frame.hadSymbols { flags |= 64 }
    writer.byte(flags)
    if let offset = frame.offset { writer.varint(offset) }
    writer.string(frame.function)
    guard version.isMultiple(of: 2) else { return }
    writer.count(frame.names.count)
    for name in frame.names { writer.string(name) }
  }

  /// Decodes the result of `encoded`; nil for anything else. The title of the cause is stored separately.
  public init?(encoded bytes: [UInt8], title: String) {
    let read = try? bytes.withUnsafeBytes { buffer throws -> NormalizedStack? in
      var reader = ByteReader(buffer)
      let version = try reader.byte()
      guard (1...4).contains(version), let kind = DiagnosticKind(rawValue: try reader.byte()) else { return nil }
      let key = try reader.string()
      let flags = try reader.byte()
      let isOwn = flags & 1 != 0
      var frames: [Frame] = []
      for _ in 0..<(try reader.count()) { frames.append(try Self.frame(&reader, version, isOwn)) }
      return NormalizedStack(
        kind: kind, cause: DiagnosticCause(storedKey: key, title: title, kind), frames: frames, isOwn: isOwn,
        isCut: flags & 2 != 0, isOverflow: flags & 4 != 0)
    }
    guard let stack = read ?? nil else { return nil }
    self = stack
  }

  private static func frame(_ reader: inout ByteReader, _ version: UInt8, _ isOwn: Bool) throws -> Frame {
    let binary = try reader.string()
    let uuid = try reader.string()
    let flags = try reader.byte()
    let offset = flags & 1 != 0 ? try reader.varint() : nil
    let owner = version < 3 ? owner(of: binary, isOwn) : BinaryOwners.Owner(rawValue: flags >> 4 & 3) ?? .app
    var frame = Frame(
      binary: binary, uuid: uuid, offset: offset, isReturn: flags & 2 != 0, function: try reader.string(),
      isEntry: flags & 4 != 0, isApart: flags & 8 != 0, owner: owner)
    guard version.isMultiple(of: 2) else { return frame }
    frame.hadSymbols = flags & 64 != 0
    for _ in 0..<(try reader.count()) { frame.names.append(try reader.string()) }
    return frame
  }

  /// The owner of a binary in a stack stored without owners: the app if `isOwn`, the system if it has no name,
  /// otherwise the list of the system's names decides.
  private static func owner(of binary: String, _ isOwn: Bool) -> BinaryOwners.Owner {
    if isOwn { return .app }
    if binary.isEmpty { return .system }
    return BinaryOwners.owner(CallTree.Binary(name: binary, uuid: ""))
  }
}
