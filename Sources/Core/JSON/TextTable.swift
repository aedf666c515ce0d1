/// Values for texts of a document that were met before. A call tree repeats its names and UUIDs in every frame, and
/// comparing bytes takes a fraction of the time of hashing, copying or writing them. Each slot has the latest of the
/// texts that belong there, so that no document makes a search longer.
///
/// The texts are valid as long as the document. Those below four bytes are not kept.
public struct TextTable<Value>: ~Copyable {
  @usableFromInline struct Entry {
    @usableFromInline let text: BorrowedJSONString
    @usableFromInline let value: Value

    @inlinable init(text: BorrowedJSONString, value: Value) { (self.text, self.value) = (text, value) }
  }

  @usableFromInline let entries: UnsafeMutablePointer<Entry?>

  @inlinable static var bits: Int { 7 }
  @inlinable static var capacity: Int { 1 << bits }

  @inlinable public init() {
    entries = .allocate(capacity: Self.capacity)
    entries.initialize(repeating: nil, count: Self.capacity)
  }

  @inlinable deinit {
    entries.deinitialize(count: Self.capacity)
    entries.deallocate()
  }

  /// The slot of a text, and its value if the table has it.
  @inlinable @inline(__always)
  public func find(_ text: BorrowedJSONString) -> (slot: Int, value: Value?) {
    guard text.count >= 4 else { return (0, nil) }
    let slot = Int(truncatingIfNeeded: text.hashOfEnds &>> UInt64(64 - Self.bits))
    guard let entry = entries[slot], entry.text.count == text.count,
      BorrowedJSONString.areEqual(entry.text.base, text.base, text.count)
    else { return (slot, nil) }
    return (slot, entry.value)
  }

  /// Sets the value of a text in the slot that `find` returned.
  @inlinable @inline(__always)
  public mutating func set(_ slot: Int, _ text: BorrowedJSONString, _ value: Value) {
    if text.count >= 4 { entries[slot] = Entry(text: text, value: value) }
  }
}
