/// A 64-bit hash that is the same in every process and on every machine. Not for secrets: collisions can be
/// constructed.
public struct SeededHash: Sendable {
  /// The hash of everything combined so far.
  public private(set) var value: UInt64

  /// Starts a hash. A `seed` continues from the value of another hash.
  public init(seed: UInt64 = 0) { value = seed }

  /// Adds a number. The hash depends on the order of additions.
  public mutating func combine(_ word: UInt64) {
    value = Self.mixed((value &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mixed(word))
  }

  /// Adds a text with its length, so that "ab", "c" and "a", "bc" differ.
  public mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine($0) }
  }

  /// Adds bytes and their count to the hash.
  public mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    var at = 0
    while at + 8 <= raw.count {
      combine(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
      at += 8
    }
    combine(raw.lastWord(from: at))
    combine(UInt64(raw.count))
  }

  /// The finaliser of MurmurHash3 (Austin Appleby, public domain): flipping one bit of the word changes half of the
  /// result's bits on average.
  static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    word = (word ^ (word >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return word ^ (word >> 33)
  }
}

extension UnsafeRawBufferPointer {
  /// The fewer than eight bytes from `start` on, the first in the lowest byte, padded with zeros.
  @inline(__always)
  func lastWord(from start: Int) -> UInt64 {
    let size = count - start
    // Two loads that overlap: both have equal bits there.
    if size >= 4 {
      let first = UInt32(littleEndian: loadUnaligned(fromByteOffset: start, as: UInt32.self))
      let last = UInt32(littleEndian: loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      return UInt64(first) | UInt64(last) &<< UInt64(8 * (size - 4))
    }
    if size >= 2 {
      let first = UInt16(littleEndian: loadUnaligned(fromByteOffset: start, as: UInt16.self))
      let last = UInt16(littleEndian: loadUnaligned(fromByteOffset: count - 2, as: UInt16.self))
      return UInt64(first) | UInt64(last) &<< UInt64(8 * (size - 2))
    }
    return size == 1 ? UInt64(self[start]) : 0
  }
}

extension JSONValue {
  /// A hash of the value and its contents. It does not depend on the order of an object's members or on how text and
  /// numbers are written (`\/`, `5.0`). It walks the tape iteratively, so that deep nesting needs no stack.
  public func contentHash(seed: UInt64 = 0) -> UInt64 {
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
          container.key = at.scalarHash
          at = sibling(at: at.index + 1)
        }
        if at.tag == Tag.object || at.tag == Tag.array {
          outer.append(container)
          container = HashedContainer(isObject: at.tag == Tag.object, close: at.end - 1)
          at = sibling(at: at.index + 1)
          continue
        }
        found = at.scalarHash
        at = sibling(at: at.end)
      }
      if outer.isEmpty { result.combine(found) } else { container.add(found) }
    }
    return result.value
  }

  /// The hash of a value that is not a container. It includes the type, so that `"1"` and `1` differ. A whole number
  /// has the same hash in every notation.
  private var scalarHash: UInt64 {
    var hash = SeededHash()
    switch tag {
    case Tag.string:
      hash.combine(1)
      hash.combine(textUnchecked.bytes)
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
