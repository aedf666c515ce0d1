import Bytes
public import Telemetry

extension CallTree {
  /// Reads the decompressed `calls` of a recorded diagnostic. Damaged bytes throw.
  public init(recorded bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    self.init()
    for _ in 0..<(try reader.count()) {
      let name = try reader.string()
      binaries.append(Binary(name: name, uuid: try reader.string()))
    }
    for place in 0..<(try reader.count()) { frames.append(try Self.frame(&reader, at: place, binaries.count)) }
    for _ in 0..<(try reader.count()) { threads.append(try Self.thread(&reader, frames.count)) }
    // Older records end here, and so do those of which no binary's origin is known.
    guard reader.remaining > 0 else { return }
    for place in binaries.indices { binaries[place].origin = Binary.Origin(rawValue: try reader.byte()) ?? .unknown }
  }

  private static func frame(_ reader: inout ByteReader, at place: Int, _ binaries: Int) throws(DamagedBytes) -> Frame {
    let flags = try reader.byte()
    let distance = try reader.count()
    let binary = try reader.count() - 1
    guard distance <= place, binary < binaries else { throw DamagedBytes(offset: reader.remaining) }
    var frame = Frame(caller: distance == 0 ? -1 : place - distance, binary: binary)
    if flags & 1 != 0 { frame.offset = try reader.varint() }
    if flags & 2 != 0 { frame.address = try reader.varint() }
    frame.samples = min(try reader.count(), RecordFormat.mostSamples)
    if flags & 4 != 0 {
      let function = try reader.string()
      let file = try reader.string()
      let line = try reader.count()
      frame.symbol = Symbol(function: function, file: file, line: line == 0 ? nil : line)
    }
    return frame
  }

  private static func thread(_ reader: inout ByteReader, _ frames: Int) throws(DamagedBytes) -> Thread {
    let start = try reader.count()
    let count = try reader.count()
    guard start <= frames, count <= frames - start else { throw DamagedBytes(offset: reader.remaining) }
    return Thread(range: start..<start + count, isAttributed: try reader.byte() != 0)
  }
}
