/// Searches in the bytes of names. Names are compared as UTF-8, because the standard library's search compares
/// characters and takes fifty times as long.
extension ArraySlice<UInt8> {
  /// The range of the first occurrence of `part`, which must not be empty; nil if there is none.
  func range(of part: StaticString) -> Range<Int>? {
    let size = part.utf8CodeUnitCount
    guard count >= size else { return nil }
    let first = part.utf8Start[0]
    let offset = withUnsafeBufferPointer { bytes -> Int? in
      for start in 0...(bytes.count - size) where bytes[start] == first {
        if (1..<size).allSatisfy({ bytes[start + $0] == part.utf8Start[$0] }) { return start }
      }
      return nil
    }
    return offset.map { startIndex + $0..<startIndex + $0 + size }
  }

  func contains(_ part: StaticString) -> Bool { range(of: part) != nil }

  func starts(with part: StaticString) -> Bool {
    let size = part.utf8CodeUnitCount
    return count >= size && (0..<size).allSatisfy { self[startIndex + $0] == part.utf8Start[$0] }
  }

  /// The slice as a text.
  var text: String { String(decoding: self, as: UTF8.self) }
}

extension String {
  /// The bytes of the text, for searches.
  var bytes: ArraySlice<UInt8> { Array(utf8)[...] }
}
