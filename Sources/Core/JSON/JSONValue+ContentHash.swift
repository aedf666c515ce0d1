extension JSONValue {
  /// A hash of the value and its contents. It does not depend on the order of an object's members or on how text and
  /// numbers are written (`\/`, `5.0`). It walks the tape iteratively, so that deep nesting needs no stack.
  public func contentHash(seed: UInt64 = 0) -> UInt64 {
    withUnsafeTemporaryAllocation(of: HashedTexts.Entry.self, capacity: HashedTexts.capacity) { entries in
      var texts = HashedTexts(entries)
      return contentHash(seed, &texts)
    }
  }

  private func contentHash(_ seed: UInt64, _ texts: inout HashedTexts) -> UInt64 {
    let end = end
    var at = self
    var outer: [HashedContainer] = []
    // The outermost container, which never closes.
    var container = HashedContainer(isObject: false, close: -1)
    var result = SeededHash(seed: seed)
    while at.index < end {
      var found: UInt64
      if at.index == container.close {
        found = container.hash
        container = outer.removeLast()
        at = sibling(at: at.index + 1)
      } else {
        if container.isObject {
          container.key = at.scalarHash(&texts)
          at = sibling(at: at.index + 1)
        }
        if at.tag == Tag.object || at.tag == Tag.array {
          outer.append(container)
          container = HashedContainer(isObject: at.tag == Tag.object, close: at.end - 1)
          at = sibling(at: at.index + 1)
          continue
        }
        found = at.scalarHash(&texts)
        at = sibling(at: at.end)
      }
      if outer.isEmpty { result.combine(found) } else { container.add(found) }
    }
    return result.value
  }

  /// The hash of a value that is not a container. It includes the type, so that `"1"` and `1` differ. A whole number
  /// has the same hash in every notation.
  private func scalarHash(_ texts: inout HashedTexts) -> UInt64 {
    var hash = SeededHash()
    switch tag {
    case Tag.string: return texts.hash(of: textUnchecked)
    case Tag.signed, Tag.unsigned:
      hash.combine(tag == Tag.signed ? 2 : 3)
      hash.combine(tape[index + 1])
    case Tag.double:
      let number = Double(bitPattern: tape[index + 1])
      if let whole = Int64(exactly: number) {
        hash.combine(2)
        hash.combine(UInt64(bitPattern: whole))
      } else if let whole = UInt64(exactly: number) {
        hash.combine(3)
        hash.combine(whole)
      } else {
        hash.combine(4)
        hash.combine(tape[index + 1])
      }
    default: hash.combine(UInt64(tag))
    }
    return hash.value
  }
}

/// An object or array whose contents are being hashed.
private struct HashedContainer {
  let isObject: Bool
  /// The index of the container's closing word on simdjson's tape.
  let close: Int
  /// The hash of the key before the next value, in objects.
  var key: UInt64 = 0
  private var parts = SeededHash()
  private var sum: UInt64 = 0
  private var count: UInt64 = 0

  init(isObject: Bool, close: Int) {
    self.isObject = isObject
    self.close = close
  }

  mutating func add(_ value: UInt64) {
    count &+= 1
    if isObject {
      // The hashes of members are summed, because a sum does not depend on order.
      var member = SeededHash(seed: key)
      member.combine(value)
      sum &+= member.value
    } else {
      parts.combine(value)
    }
  }

  var hash: UInt64 {
    var whole = SeededHash(seed: isObject ? 5 : 6)
    whole.combine(isObject ? sum : parts.value)
    whole.combine(count)
    return whole.value
  }
}

/// The hashes of texts that were met before in a value. A call tree repeats its keys, names and UUIDs in every frame, and
/// comparing bytes takes a fraction of the time of hashing them.
private struct HashedTexts {
  struct Entry {
    var text: BorrowedJSONString?
    var hash: UInt64
  }

  static let capacity = 64
  private let entries: UnsafeMutableBufferPointer<Entry>

  /// `memory`: uninitialized memory for `capacity` entries, which must outlive this value.
  init(_ memory: UnsafeMutableBufferPointer<Entry>) {
    memory.initialize(repeating: Entry(text: nil, hash: 0))
    entries = memory
  }

  func hash(of text: BorrowedJSONString) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(text.bytes)
    guard bytes.count >= 8 else { return Self.hashed(text) }
    let first = bytes.loadUnaligned(as: UInt64.self)
    let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    let mixed = (first ^ (last &* 0x9E37_79B9_7F4A_7C15)) &* 0xC4CE_B9FE_1A85_EC53
    let place = Int(mixed >> 32) % Self.capacity
    if let known = entries[place].text, known.count == text.count,
      BorrowedJSONString.areEqual(known.base, text.base, text.count)
    {
      return entries[place].hash
    }
    let hash = Self.hashed(text)
    entries[place] = Entry(text: text, hash: hash)
    return hash
  }

  private static func hashed(_ text: BorrowedJSONString) -> UInt64 {
    var hash = SeededHash()
    hash.combine(1)
    hash.combine(text.bytes)
    return hash.value
  }
}
