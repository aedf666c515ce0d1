internal import Core

extension NativeColumn {
  /// Appends the values in the format that ClickHouse reads.
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

  /// The memory budget that is left for values, in bytes; negative when it is used up.
  struct Memory {
    var left: Int

    mutating func take(_ bytes: Int) throws(DamagedBytes) {
      left -= bytes
      if left < 0 { throw DamagedBytes(offset: 0) }
    }
  }

  /// Reads `count` more values of this column's type. It works in place and does not copy the earlier values.
  mutating func append(_ count: Int, from reader: inout ByteReader, _ memory: inout Memory) throws(DamagedBytes) {
    // Every value has at least one byte, so that a made-up count reserves no memory.
    guard count <= reader.remaining else { throw DamagedBytes(offset: 0) }
    // Each case takes the array out of `self` first, so that it can be changed without a copy.
    switch self {
    case .integers(let type, var values):
      self = .integers(type, [])
      try memory.take(8 * count)
      try type.decode(count, from: &reader, into: &values)
      self = .integers(type, values)
    case .doubles(var values):
      self = .doubles([])
      try memory.take(8 * count)
      for _ in 0..<count { values.append(try reader.double()) }
      self = .doubles(values)
    case .strings(var values):
      self = .strings([])
      try memory.take(16 * count)
      for _ in 0..<count {
        let bytes = try reader.slice()
        // Short texts need no separate allocation.
        if bytes.count > 15 { try memory.take(bytes.count + 32) }
        values.append(String(decoding: bytes, as: UTF8.self))
      }
      self = .strings(values)
    case .extremes(let extreme, var values):
      self = .extremes(extreme, [])
      try memory.take(16 * count)
      for _ in 0..<count { values.append(try reader.byte() == 0 ? nil : try reader.double()) }
      self = .extremes(extreme, values)
    case .arrays(var ends, var elements):
      self = .arrays(ends: [], .doubles([]))
      try memory.take(8 * count)
      let before = elements.count
      var last = 0
      for _ in 0..<count {
        guard let end = Int(exactly: try reader.fixed()), end >= last, end <= reader.remaining else {
          throw DamagedBytes(offset: 0)
        }
        last = end
        ends.append(before + end)
      }
      try elements.append(last, from: &reader, &memory)
      self = .arrays(ends: ends, elements)
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

  fileprivate func decode(
    _ count: Int, from reader: inout ByteReader, into values: inout [Int64]
  ) throws(DamagedBytes) {
    switch self {
    case .uInt8: try Self.decode(count, as: UInt8.self, from: &reader, into: &values)
    case .uInt16: try Self.decode(count, as: UInt16.self, from: &reader, into: &values)
    case .uInt32: try Self.decode(count, as: UInt32.self, from: &reader, into: &values)
    case .uInt64, .int64: try Self.decode(count, as: Int64.self, from: &reader, into: &values)
    case .int8: try Self.decode(count, as: Int8.self, from: &reader, into: &values)
    case .int16: try Self.decode(count, as: Int16.self, from: &reader, into: &values)
    case .int32: try Self.decode(count, as: Int32.self, from: &reader, into: &values)
    }
  }

  private static func decode<Stored: FixedWidthInteger>(
    _ count: Int, as type: Stored.Type, from reader: inout ByteReader, into values: inout [Int64]
  ) throws(DamagedBytes) {
    let size = MemoryLayout<Stored>.size
    // The caller has checked that `count` is at most the number of bytes, so that the product cannot overflow.
    let bytes = try reader.slice(of: count * size)
    values.append(
      contentsOf: (0..<count).lazy.map {
        Int64(truncatingIfNeeded: Stored(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: Stored.self)))
      })
  }
}
