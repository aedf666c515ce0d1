/// The members of an object, in the document's order. Keys are compared as bytes.
public struct JSONObject: Sequence {
  /// The object as a `JSONValue`.
  public let value: JSONValue

  @inlinable init(value: JSONValue) { self.value = value }

  /// Iterates over the members in the document's order.
  @inlinable @inline(__always) public func makeIterator() -> Iterator { Iterator(value) }

  /// The first member with this key; nil when there is none, or when its value is null.
  @inlinable public subscript(key: StaticString) -> JSONValue? {
    for member in self where member.key == key { return member.value.isNull ? nil : member.value }
    return nil
  }

  /// The first member with this key; throws an error with the key path when there is none.
  public func required(_ key: StaticString) throws(JSONError) -> JSONValue {
    guard let value = self[key] else { throw missing(key) }
    return value
  }

  /// The error for a required member that is missing.
  public func missing(_ key: StaticString) -> JSONError {
    JSONError(.missing, at: value, key: "\(key)", "is missing")
  }

  /// Whether the object has no members.
  public var isEmpty: Bool { value.end == value.index + 2 }

  /// An iterator that walks the tape from key to key.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var upcoming: JSONValue
    @usableFromInline let end: Int

    @inlinable @inline(__always) init(_ object: JSONValue) {
      upcoming = object.sibling(at: object.index &+ 1)
      end = object.end &- 1
    }

    /// The next member; nil after the last.
    @inlinable @inline(__always) public mutating func next() -> (key: BorrowedJSONString, value: JSONValue)? {
      guard upcoming.index < end else { return nil }
      let key = upcoming.textUnchecked
      let value = upcoming.sibling(at: upcoming.index &+ 1)
      upcoming = upcoming.sibling(at: value.end)
      return (key, value)
    }
  }
}

/// The elements of an array, in order.
public struct JSONArray: Sequence {
  /// The array as a `JSONValue`.
  public let value: JSONValue

  @inlinable init(value: JSONValue) { self.value = value }

  /// Iterates over the elements in the document's order.
  @inlinable @inline(__always) public func makeIterator() -> Iterator { Iterator(value) }

  /// Whether the array has no elements.
  public var isEmpty: Bool { value.end == value.index + 2 }

  /// An iterator that walks the tape from element to element.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var upcoming: JSONValue
    @usableFromInline let end: Int

    @inlinable @inline(__always) init(_ array: JSONValue) {
      upcoming = array.sibling(at: array.index &+ 1)
      end = array.end &- 1
    }

    /// Whether there is no further element.
    @inlinable public var isAtEnd: Bool { upcoming.index >= end }

    /// The next element; nil after the last.
    @inlinable @inline(__always) public mutating func next() -> JSONValue? {
      guard upcoming.index < end else { return nil }
      let element = upcoming
      upcoming = upcoming.sibling(at: element.end)
      return element
    }
  }
}
