extension JSONValue {
  /// A hash of the value and its contents. It does not depend on the order of an object's members or on how text and
  /// numbers are written (`\/`, `5.0`). It walks the tape iteratively, so that deep nesting needs no stack.
  public func contentHash(seed: UInt64 = 0) -> UInt64 {
    var result = SeededHash(seed: seed)
    result.combine(valueHash())
    return result.value
  }

  /// The hash of the value as a part of its container's.
  func valueHash() -> UInt64 {
    let end = end
    var at = self
    var outer: [(close: Int, hash: ContainerHash)] = []
    // The outermost container, which never closes.
    var container = (close: -1, hash: ContainerHash(isObject: false))
    var found: UInt64 = 0
    while at.index < end {
      if at.index == container.close {
        found = container.hash.value
        container = outer.removeLast()
        at = at.sibling(at: at.index + 1)
      } else {
        if container.hash.isObject {
          container.hash.key = at.textUnchecked.hash
          at = at.sibling(at: at.index + 1)
        }
        if at.tag == Tag.object || at.tag == Tag.array {
          outer.append(container)
          container = (close: at.end - 1, hash: ContainerHash(isObject: at.tag == Tag.object))
          at = at.sibling(at: at.index + 1)
          continue
        }
        found = at.tag == Tag.string ? at.textUnchecked.hash : at.scalarHash
        at = at.sibling(at: at.end)
      }
      if !outer.isEmpty { container.hash.add(found) }
    }
    return found
  }

  /// The hash of a number, a boolean or null. It includes the type, so that `"1"` and `1` differ. A whole number has the
  /// same hash in every notation.
  var scalarHash: UInt64 {
    var hash = SeededHash()
    switch tag {
    case Tag.signed:
      // A case of its own, so that the compiler computes the first step. Most values of a call stack are such numbers.
      hash.combine(2)
      hash.combine(tape[index &+ 1])
    case Tag.unsigned:
      hash.combine(3)
      hash.combine(tape[index &+ 1])
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

extension BorrowedJSONString {
  /// The hash of the text as a key or value.
  var hash: UInt64 {
    var hash = SeededHash()
    hash.combine(1)
    hash.combine(bytes)
    return hash.value
  }
}

/// The hash of an object or array, built from those of its contents.
struct ContainerHash {
  let isObject: Bool
  /// The hash of the key before the next value, in objects.
  var key: UInt64 = 0
  /// Of an array the hash of its elements; of an object the sum of its members' hashes, because a sum does not depend on
  /// order.
  private var contents: UInt64 = 0
  private var count: UInt64 = 0

  init(isObject: Bool) { self.isObject = isObject }

  mutating func add(_ value: UInt64) {
    count &+= 1
    var hash = SeededHash(seed: isObject ? key : contents)
    hash.combine(value)
    contents = isObject ? contents &+ hash.value : hash.value
  }

  var value: UInt64 {
    var whole = SeededHash(seed: isObject ? 5 : 6)
    whole.combine(contents)
    whole.combine(count)
    return whole.value
  }
}
