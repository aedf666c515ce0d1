internal import Bytes

extension NativeColumn {
  /// Appends the values as ClickHouse reads them.
  func encode(into writer: inout ByteWriter) {
    switch self {
    case .integers(let type, let values): type.encode(values, into: &writer)
    case .doubles(let values): for value in values { writer.double(value) }
    case .strings(let values): for value in values { writer.string(value) }
    case .extremes(_, let values):
      for value in values {
        writer.byte(value == nil ? 0 : 1)
        if let value { writer.double(value) }
      }
    case .arrays(let ends, let elements):
      for end in ends { writer.fixed(UInt64(end)) }
      elements.encode(into: &writer)
    }
  }

  /// Reads so many values of this column's type.
  func decode(_ count: Int, from reader: inout ByteReader) throws(DamagedBytes) -> NativeColumn {
    // Every value has at least one byte, so that a made-up count reserves no memory.
    guard count <= reader.remaining else { throw DamagedBytes(offset: 0) }
    switch self {
    case .integers(let type, _): return .integers(type, try type.decode(count, from: &reader))
    case .doubles:
      guard count <= reader.remaining / 8 else { throw DamagedBytes(offset: 0) }
      var values: [Double] = []
      values.reserveCapacity(count)
      for _ in 0..<count { values.append(try reader.double()) }
      return .doubles(values)
    case .strings:
      var values: [String] = []
      values.reserveCapacity(count)
      for _ in 0..<count { values.append(try reader.string()) }
      return .strings(values)
    case .extremes(let extreme, _):
      var values: [Double?] = []
      values.reserveCapacity(count)
      for _ in 0..<count { values.append(try reader.byte() == 0 ? nil : try reader.double()) }
      return .extremes(extreme, values)
    case .arrays(_, let elements):
      guard count <= reader.remaining / 8 else { throw DamagedBytes(offset: 0) }
      var ends: [Int] = []
      ends.reserveCapacity(count)
      for _ in 0..<count {
        guard let end = Int(exactly: try reader.fixed()), end >= ends.last ?? 0 else { throw DamagedBytes(offset: 0) }
        ends.append(end)
      }
      return .arrays(ends: ends, try elements.decode(ends.last ?? 0, from: &reader))
    }
  }
}

extension NativeColumn.IntegerType {
  fileprivate func encode(_ values: [Int64], into writer: inout ByteWriter) {
    switch self {
    case .uInt8, .int8: for value in values { writer.byte(UInt8(truncatingIfNeeded: value)) }
    case .uInt16, .int16: Self.encode(values, as: UInt16.self, into: &writer)
    case .uInt32, .int32: Self.encode(values, as: UInt32.self, into: &writer)
    case .uInt64, .int64: for value in values { writer.fixed(UInt64(bitPattern: value)) }
    }
  }

  private static func encode<Stored: FixedWidthInteger>(
    _ values: [Int64], as type: Stored.Type, into writer: inout ByteWriter
  ) {
    for value in values {
      withUnsafeBytes(of: Stored(truncatingIfNeeded: value).littleEndian) { writer.raw($0) }
    }
  }

  fileprivate func decode(_ count: Int, from reader: inout ByteReader) throws(DamagedBytes) -> [Int64] {
    switch self {
    case .uInt8: try Self.decode(count, as: UInt8.self, from: &reader)
    case .uInt16: try Self.decode(count, as: UInt16.self, from: &reader)
    case .uInt32: try Self.decode(count, as: UInt32.self, from: &reader)
    case .uInt64, .int64: try Self.decode(count, as: Int64.self, from: &reader)
    case .int8: try Self.decode(count, as: Int8.self, from: &reader)
    case .int16: try Self.decode(count, as: Int16.self, from: &reader)
    case .int32: try Self.decode(count, as: Int32.self, from: &reader)
    }
  }

  private static func decode<Stored: FixedWidthInteger>(
    _ count: Int, as type: Stored.Type, from reader: inout ByteReader
  ) throws(DamagedBytes) -> [Int64] {
    let size = MemoryLayout<Stored>.size
    // The caller has checked that `count` is at most the number of bytes, so that the product cannot overflow.
    let bytes = try reader.slice(of: count * size)
    return (0..<count).map {
      Int64(truncatingIfNeeded: Stored(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: Stored.self)))
    }
  }
}
