/// Searches in the bytes of names. Names are compared as UTF-8: the standard library's search in strings compares
/// characters, which takes fifty times as long.
extension ArraySlice<UInt8> {
  /// The range of the first occurrence of `part`, which must not be empty; nil when there is none.
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

/// Texts with which a name may start, found by their first byte.
struct PrefixTable: Sendable {
  private let byFirst: [[[UInt8]]]

  /// Creates a table of texts, none of which is empty.
  init(_ prefixes: [String]) {
    var byFirst = [[[UInt8]]](repeating: [], count: 256)
    for prefix in prefixes.map({ Array($0.utf8) }) { byFirst[Int(prefix[0])].append(prefix) }
    self.byFirst = byFirst
  }

  /// The length in bytes of the first text with which `name` starts; nil when there is none.
  func length(in name: some Collection<UInt8>) -> Int? {
    guard let first = name.first else { return nil }
    return byFirst[Int(first)].first { name.starts(with: $0) }?.count
  }

  /// Whether `name` starts with one of the texts.
  func matches(_ name: some Collection<UInt8>) -> Bool { length(in: name) != nil }
}
