/// Fields and their contents, each as plain as it may be.
extension OTLPPlainWire {
  /// Passes the fields of a message to `read`, and gives up when one that may occur once occurs again.
  func fields(_ content: Content, _ read: (Int, Content) throws -> Occurrence) throws {
    guard case .bytes(let range) = content else { throw NotPlain() }
    var at = range.lowerBound
    var seen: UInt64 = 0
    while at < range.upperBound {
      let tag = try varint(&at, until: range.upperBound)
      let field = Int(truncatingIfNeeded: tag >> 3)
      guard field > 0, field < 1 << 29 else { throw NotPlain() }
      let content = try self.content(tag & 7, &at, until: range.upperBound)
      guard try read(field, content) == .once else { continue }
      guard field < 64, seen & (1 << field) == 0 else { throw NotPlain() }
      seen |= 1 << field
    }
  }

  func content(_ wireType: UInt64, _ at: inout Int, until end: Int) throws -> Content {
    switch wireType {
    case 0: return .varint(try varint(&at, until: end))
    case 1:
      guard end - at >= 8 else { throw NotPlain() }
      defer { at += 8 }
      return .fixed(word(at))
    case 2:
      let length = try varint(&at, until: end)
      guard length <= UInt64(end - at) else { throw NotPlain() }
      defer { at += Int(length) }
      return .bytes(at..<at + Int(length))
    case 5:
      guard end - at >= 4 else { throw NotPlain() }
      at += 4
      return .other
    default: throw NotPlain()
    }
  }

  func word(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  func varint(_ at: inout Int, until end: Int) throws -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < end, shift < 63 {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    // The tenth byte holds one bit; negative numbers have it.
    guard at < end, bytes[at] <= 1 else { throw NotPlain() }
    value |= UInt64(bytes[at]) << 63
    at += 1
    return value
  }

  func varint(_ content: Content) throws -> UInt64 {
    guard case .varint(let value) = content else { throw NotPlain() }
    return value
  }

  func fixed(_ content: Content) throws -> UInt64 {
    guard case .fixed(let value) = content else { throw NotPlain() }
    return value
  }

  func flag(_ content: Content) throws -> Bool {
    let value = try varint(content)
    guard value <= 1 else { throw NotPlain() }
    return value == 1
  }

  func small<Number: FixedWidthInteger>(_ value: UInt64) throws -> Number {
    guard let number = Number(exactly: value) else { throw NotPlain() }
    return number
  }

  func zigzag(_ content: Content) throws -> Int32 {
    let value: UInt32 = try small(varint(content))
    return Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
  }

  func text(_ content: Content) throws -> String {
    guard case .bytes(let range) = content else { throw NotPlain() }
    let utf8 = UnsafeRawBufferPointer(rebasing: bytes[range])
    // Almost all texts are ASCII, and `String(validating:as:)` looks its generic types up again with each call.
    if utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: utf8, as: UTF8.self) }
    guard let text = String(validating: utf8, as: UTF8.self) else { throw NotPlain() }
    return text
  }

  func list<Element>(_ content: Content, _ element: (UInt64) -> Element) throws -> [Element] {
    guard case .bytes(let range) = content, range.count.isMultiple(of: 8) else { throw NotPlain() }
    return stride(from: range.lowerBound, to: range.upperBound, by: 8).map { element(word($0)) }
  }
}
