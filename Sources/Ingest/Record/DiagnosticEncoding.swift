public import Core

/// A diagnostic as read from a record: ids are hashed, call stacks and body are compressed.
public struct RecordedDiagnostic: Sendable, Equatable {
  let kind: DiagnosticKind
  let time: MeasurementTime
  let identity: UInt64
  let quantity: Double?
  public let session: UInt64?
  public let user: UInt64?
  let exception: ExceptionDetails
  /// Whether the client states that the app was in the background.
  let isInBackground: Bool
  /// A zstd frame of the call stacks; decode its content with `CallTree.init(recorded:)`.
  let calls: [UInt8]
  /// The size of the diagnostic's JSON before compression, in bytes.
  let bodySize: Int
  /// The diagnostic's JSON, compressed to a zstd frame.
  let body: [UInt8]

  init(from reader: inout ByteReader, received: Timestamp) throws(DamagedBytes) {
    let flags = try reader.byte()
    guard let kind = DiagnosticKind(rawValue: try reader.byte()) else { throw DamagedBytes(offset: reader.remaining) }
    self.kind = kind
    time = try Self.time(&reader, isInstant: flags & RecordFormat.DiagnosticFlag.instant != 0, received)
    identity = try reader.fixed()
    let stated = flags & RecordFormat.DiagnosticFlag.quantity != 0 ? try reader.number() : nil
    quantity = stated.flatMap { $0 >= 0 && $0 <= RecordFormat.largestValue ? $0 : nil }
    session = flags & RecordFormat.DiagnosticFlag.session != 0 ? try reader.fixed() : nil
    user = flags & RecordFormat.DiagnosticFlag.user != 0 ? try reader.fixed() : nil
    exception = try Self.exception(&reader, flags)
    isInBackground = flags & RecordFormat.DiagnosticFlag.background != 0
    calls = [UInt8](try reader.slice())
    bodySize = try reader.count()
    guard bodySize <= RecordFormat.largestBody else { throw DamagedBytes(offset: reader.remaining) }
    body = [UInt8](try reader.slice())
  }

  private static func time(
    _ reader: inout ByteReader, isInstant: Bool, _ received: Timestamp
  ) throws(DamagedBytes) -> MeasurementTime {
    let offset = try reader.signed()
    if isInstant { return .instant(Timestamp(milliseconds: received.milliseconds &+ offset)) }
    let day = Int64(received.day().number) &+ offset
    guard day.magnitude < RecordFormat.latestDay else { throw DamagedBytes(offset: reader.remaining) }
    return .day(CalendarDay(number: Int(day)))
  }

  private static func exception(_ reader: inout ByteReader, _ flags: UInt8) throws(DamagedBytes) -> ExceptionDetails {
    var facts = ExceptionDetails()
    if flags & RecordFormat.DiagnosticFlag.type != 0 { facts.type = Int(try reader.signed()) }
    if flags & RecordFormat.DiagnosticFlag.code != 0 { facts.code = try reader.fixed() }
    if flags & RecordFormat.DiagnosticFlag.signal != 0 { facts.signal = Int(try reader.signed()) }
    facts.name = try text(&reader)
    facts.termination = try text(&reader)
    facts.reason = try text(&reader)
    return facts
  }

  private static func text(_ reader: inout ByteReader) throws(DamagedBytes) -> String? {
    let text = try reader.string()
    return text.isEmpty ? nil : text
  }
}

extension RecordWriter {
  static func write(
    _ diagnostic: Diagnostic, _ header: RecordHeader, _ seal: Pseudonymizer, into writer: inout ByteWriter
  ) {
    writer.byte(flags(of: diagnostic))
    writer.byte(diagnostic.kind.rawValue)
    switch diagnostic.time {
    case .day(let day): writer.signed(Int64(day.number - header.received.day().number))
    case .instant(let instant): writer.signed(instant.milliseconds &- header.received.milliseconds)
    }
    writer.fixed(diagnostic.identity)
    if let quantity = diagnostic.quantity { writer.number(quantity) }
    if let session = diagnostic.session { writer.fixed(seal.session(session, app: header.app)) }
    if let user = diagnostic.user { writer.fixed(seal.user(user, app: header.app)) }
    write(diagnostic.exception, into: &writer)
    var calls = ByteWriter(reserving: 16 * diagnostic.calls.frames.count + 64)
    write(diagnostic.calls, into: &calls)
    calls.withBytes { writer.blob(seal.compress($0)) }
    writer.count(diagnostic.body.count)
    diagnostic.body.withUnsafeBytes { writer.blob(seal.compress($0)) }
  }

  private static func flags(of diagnostic: Diagnostic) -> UInt8 {
    var flags: UInt8 = 0
    if case .instant = diagnostic.time { flags |= RecordFormat.DiagnosticFlag.instant }
    if diagnostic.quantity != nil { flags |= RecordFormat.DiagnosticFlag.quantity }
    if diagnostic.session != nil { flags |= RecordFormat.DiagnosticFlag.session }
    if diagnostic.user != nil { flags |= RecordFormat.DiagnosticFlag.user }
    if diagnostic.isInBackground { flags |= RecordFormat.DiagnosticFlag.background }
    return flags | self.flags(of: diagnostic.exception)
  }

  static func flags(of exception: ExceptionDetails) -> UInt8 {
    var flags: UInt8 = 0
    if exception.type != nil { flags |= RecordFormat.DiagnosticFlag.type }
    if exception.code != nil { flags |= RecordFormat.DiagnosticFlag.code }
    if exception.signal != nil { flags |= RecordFormat.DiagnosticFlag.signal }
    return flags
  }

  static func write(_ exception: ExceptionDetails, into writer: inout ByteWriter) {
    if let type = exception.type { writer.signed(Int64(type)) }
    if let code = exception.code { writer.fixed(code) }
    if let signal = exception.signal { writer.signed(Int64(signal)) }
    writer.string(exception.name ?? "")
    writer.string(exception.termination ?? "")
    writer.string(exception.reason ?? "")
  }

  /// Writes frames and threads. A caller is written as its distance in the array, which is 1 in a chain. 0 means no
  /// caller.
  private static func write(_ calls: CallTree, into writer: inout ByteWriter) {
    writer.count(calls.binaries.count)
    for binary in calls.binaries {
      writer.string(binary.name)
      writer.string(binary.uuid)
    }
    writer.count(calls.frames.count)
    calls.frames.withUnsafeBufferPointer { frames in
      for index in frames.indices { write(frames[index], at: index, into: &writer) }
    }
    writer.count(calls.threads.count)
    for thread in calls.threads {
      writer.count(thread.range.lowerBound)
      writer.count(thread.range.count)
      writer.byte(thread.isAttributed ? 1 : 0)
    }
    guard calls.binaries.contains(where: { $0.origin != .unknown }) else { return }
    for binary in calls.binaries { writer.byte(binary.origin.rawValue) }
  }

  // Inlined, because a call would copy the frame.
  @inline(__always)
  private static func write(_ frame: borrowing CallTree.Frame, at index: Int, into writer: inout ByteWriter) {
    let flags: UInt8 = (frame.offset == nil ? 0 : 1) | (frame.address == nil ? 0 : 2) | (frame.symbol == nil ? 0 : 4)
    writer.byte(flags)
    writer.count(frame.caller < 0 ? 0 : index - frame.caller)
    writer.count(frame.binary + 1)
    if let offset = frame.offset { writer.varint(offset) }
    if let address = frame.address { writer.varint(address) }
    writer.count(frame.samples)
    if let symbol = frame.symbol {
      writer.string(symbol.function)
      writer.string(symbol.file)
      writer.count(symbol.line ?? 0)
    }
  }
}

extension CallTree {
  /// Decodes the decompressed `calls` of a recorded diagnostic. Throws if bytes are damaged.
  public init(recorded bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    self.init()
    for _ in 0..<(try reader.count()) {
      let name = try reader.string()
      binaries.append(Binary(name: name, uuid: try reader.string()))
    }
    let count = try reader.count()
    // A damaged count must not reserve more memory than a usual tree needs.
    frames.reserveCapacity(min(count, 1024))
    for index in 0..<count { frames.append(try Self.frame(&reader, at: index, binaries.count)) }
    for _ in 0..<(try reader.count()) { threads.append(try Self.thread(&reader, frames.count)) }
    // Older records end here, as do records in which every binary's origin is unknown.
    guard reader.remaining > 0 else { return }
    for index in binaries.indices { binaries[index].origin = Binary.Origin(rawValue: try reader.byte()) ?? .unknown }
  }

  private static func frame(_ reader: inout ByteReader, at index: Int, _ binaries: Int) throws(DamagedBytes) -> Frame {
    let flags = try reader.byte()
    let distance = try reader.count()
    let binary = try reader.count() - 1
    guard distance <= index, binary < binaries else { throw DamagedBytes(offset: reader.remaining) }
    let offset = flags & 1 != 0 ? try reader.varint() : nil
    let address = flags & 2 != 0 ? try reader.varint() : nil
    let samples = min(try reader.count(), RecordFormat.mostSamples)
    let symbol = flags & 4 != 0 ? try symbol(&reader) : nil
    return Frame(
      caller: distance == 0 ? -1 : index - distance, binary: binary, offset: offset, address: address, samples: samples,
      symbol: symbol)
  }

  private static func symbol(_ reader: inout ByteReader) throws(DamagedBytes) -> Symbol {
    let function = try reader.string()
    let file = try reader.string()
    let line = try reader.count()
    return Symbol(function: function, file: file, line: line == 0 ? nil : line)
  }

  private static func thread(_ reader: inout ByteReader, _ frames: Int) throws(DamagedBytes) -> Thread {
    let start = try reader.count()
    let count = try reader.count()
    guard start <= frames, count <= frames - start else { throw DamagedBytes(offset: reader.remaining) }
    return Thread(range: start..<start + count, isAttributed: try reader.byte() != 0)
  }
}
