/// The elements of an array, in order.
public struct JSONArray: Sequence {
  /// The array itself.
  public let value: JSONValue

  @inlinable init(value: JSONValue) { self.value = value }

  /// Walks the elements in the document's order.
  @inlinable public func makeIterator() -> Iterator { Iterator(value) }

  /// Whether it has no elements.
  public var isEmpty: Bool { value.end == value.index + 2 }

  /// Walks the tape from element to element.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var upcoming: JSONValue
    @usableFromInline let end: Int

    @inlinable init(_ array: JSONValue) {
      upcoming = array.sibling(at: array.index + 1)
      end = array.end - 1
    }

    /// The next of the elements; nil behind the last.
    @inlinable public mutating func next() -> JSONValue? {
      guard upcoming.index < end else { return nil }
      let element = upcoming
      upcoming = upcoming.sibling(at: element.end)
      return element
    }
  }
}
