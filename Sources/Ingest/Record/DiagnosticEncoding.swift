public import Core

/// A diagnostic as read from a record: ids are hashed.
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
  /// The call stacks; decode them with `CallTree.init(recorded:)`.
  let calls: CompressibleBytes
  /// The size of the diagnostic's JSON as text, in bytes.
  let bodySize: Int
  /// The diagnostic's JSON; see `PackedJSON`.
  let body: CompressibleBytes

  init(from reader: inout ByteReader, _ version: UInt8, _ received: Timestamp) throws(DamagedBytes) {
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
    let form = version >= RecordFormat.diagnosticVersion ? try reader.byte() : RecordFormat.frames
    guard form <= RecordFormat.frames else { throw DamagedBytes(offset: reader.remaining) }
    calls = CompressibleBytes([UInt8](try reader.slice()), isFrame: form == RecordFormat.frames)
    bodySize = try reader.count()
    guard bodySize <= RecordFormat.largestBody else { throw DamagedBytes(offset: reader.remaining) }
    body = CompressibleBytes([UInt8](try reader.slice()), isFrame: form == RecordFormat.frames)
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
    let form = writer.count
    writer.byte(RecordFormat.content)
    let calls = writer.count
    write(diagnostic.calls, into: &writer)
    let size = writer.count - calls + diagnostic.body.bytes.count
    if size <= RecordFormat.largestContent, form + size <= RecordFormat.largestContents {
      writer.insert(count: writer.count - calls, at: calls, over: 0)
      writer.count(diagnostic.body.textSize)
      writer.blob(diagnostic.body.bytes)
    } else {
      let frame = writer.withBytes { Compression.compress(zstd: UnsafeRawBufferPointer(rebasing: $0[calls...])) }
      writer.removeAll(from: form)
      writer.byte(RecordFormat.frames)
      writer.blob(frame)
      writer.count(diagnostic.body.textSize)
      writer.blob(diagnostic.body.bytes.withUnsafeBytes { Compression.compress(zstd: $0) })
    }
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
    var starts = BinaryStarts(calls.binaries.count)
    calls.frames.withUnsafeBufferPointer { frames in
      for index in frames.indices { write(frames[index], at: index, &starts, into: &writer) }
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
  private static func write(
    _ frame: borrowing CallTree.Frame, at index: Int, _ starts: inout BinaryStarts, into writer: inout ByteWriter
  ) {
    typealias Flag = RecordFormat.FrameFlag
    var flags = (frame.offset == nil ? 0 : Flag.offset) | (frame.symbol == nil ? 0 : Flag.symbol)
    if frame.caller == index - 1, index > 0, frame.samples == 1 { flags |= Flag.next }
    var address = frame.address
    if let place = address, let offset = frame.offset {
      if starts.address(of: offset, in: frame.binary) == place {
        flags |= Flag.known
        address = nil
      } else {
        starts.note(place, offset, in: frame.binary)
      }
    }
    if address != nil { flags |= Flag.address }
    writer.byte(flags)
    if flags & Flag.next == 0 { writer.count(frame.caller < 0 ? 0 : index - frame.caller) }
    writer.count(frame.binary + 1)
    if let offset = frame.offset { writer.varint(offset) }
    if let address { writer.varint(address) }
    if flags & Flag.next == 0 { writer.count(frame.samples) }
    if let symbol = frame.symbol {
      writer.string(symbol.function)
      writer.string(symbol.file)
      writer.count(symbol.line ?? 0)
    }
  }
}

/// The starts of a call tree's binaries in memory, as far as the frames that were written before show them. The
/// addresses of further frames follow from their offsets.
private struct BinaryStarts {
  /// By the index of the binary plus one: the start; nil if it is not known.
  private var starts: [UInt64?]

  init(_ binaries: Int) { starts = Array(repeating: nil, count: binaries + 1) }

  func address(of offset: UInt64, in binary: Int) -> UInt64? { starts[binary + 1].map { $0 &+ offset } }

  mutating func note(_ address: UInt64, _ offset: UInt64, in binary: Int) { starts[binary + 1] = address &- offset }
}

extension CallTree {
  /// Decodes the decompressed `calls` of a recorded diagnostic. Throws if bytes are damaged.
  public init(recorded bytes: UnsafeRawBufferPointer) throws { try self.init(recorded: bytes, RecentSymbols()) }

  /// The same, for one of several trees.
  init(recorded bytes: UnsafeRawBufferPointer, _ symbols: RecentSymbols) throws {
    var reader = ByteReader(bytes)
    self.init()
    for _ in 0..<(try reader.count()) {
      let name = try reader.string()
      binaries.append(Binary(name: name, uuid: try reader.string()))
    }
    let count = try reader.count()
    // A damaged count must not reserve more memory than a usual tree needs.
    frames.reserveCapacity(min(count, 1024))
    var starts = BinaryStarts(binaries.count)
    for index in 0..<count { frames.append(try Self.frame(&reader, at: index, binaries.count, &starts, symbols)) }
    for _ in 0..<(try reader.count()) { threads.append(try Self.thread(&reader, frames.count)) }
    // Older records end here, as do records in which every binary's origin is unknown.
    guard reader.remaining > 0 else { return }
    for index in binaries.indices { binaries[index].origin = Binary.Origin(rawValue: try reader.byte()) ?? .unknown }
  }

  private static func frame(
    _ reader: inout ByteReader, at index: Int, _ binaries: Int, _ starts: inout BinaryStarts,
    _ symbols: RecentSymbols
  ) throws(DamagedBytes) -> Frame {
    typealias Flag = RecordFormat.FrameFlag
    let flags = try reader.byte()
    let distance = flags & Flag.next != 0 ? 1 : try reader.count()
    let binary = try reader.count() - 1
    guard distance <= index, binary < binaries else { throw DamagedBytes(offset: reader.remaining) }
    let offset = flags & Flag.offset != 0 ? try reader.varint() : nil
    var address = flags & Flag.address != 0 ? try reader.varint() : nil
    if let offset {
      if let address {
        starts.note(address, offset, in: binary)
      } else if flags & Flag.known != 0 {
        address = starts.address(of: offset, in: binary)
      }
    }
    let samples = flags & Flag.next != 0 ? 1 : min(try reader.count(), RecordFormat.mostSamples)
    let symbol = flags & Flag.symbol != 0 ? try symbol(&reader, symbols) : nil
    return Frame(
      caller: distance == 0 ? -1 : index - distance, binary: binary, offset: offset, address: address, samples: samples,
      symbol: symbol)
  }

  private static func symbol(
    _ reader: inout ByteReader, _ symbols: RecentSymbols
  ) throws(DamagedBytes) -> Symbol {
    let function = try reader.slice().bindMemory(to: UInt8.self)
    let file = try reader.slice().bindMemory(to: UInt8.self)
    let number = try reader.count()
    let line = number == 0 ? nil : number
    return symbols.symbol(function, file, line: line) {
      Symbol(
        function: String(decoding: function, as: UTF8.self), file: String(decoding: file, as: UTF8.self), line: line)
    }
  }

  private static func thread(_ reader: inout ByteReader, _ frames: Int) throws(DamagedBytes) -> Thread {
    let start = try reader.count()
    let count = try reader.count()
    guard start <= frames, count <= frames - start else { throw DamagedBytes(offset: reader.remaining) }
    return Thread(range: start..<start + count, isAttributed: try reader.byte() != 0)
  }
}
