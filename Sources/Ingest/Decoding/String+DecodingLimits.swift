import Core

extension BorrowedJSONString {
  /// The text as a name: cleaned, and cut to `DecodingLimits.textBytes`.
  var kept: String { SanitizedText.name(bytes) }

  /// The text with its line ends, cleaned and cut to `limit` bytes.
  func kept(_ limit: Int) -> String { SanitizedText.lines(bytes, atMost: limit) }

  /// The text as an id: unchanged, or replaced by a hash if it is longer than `DecodingLimits.idBytes`.
  var id: String { count <= DecodingLimits.idBytes ? string : String.id(ofLong: bytes) }
}

extension String {
  /// The text as a name: cleaned, and cut to `DecodingLimits.textBytes`.
  var kept: String { SanitizedText.name(self) }

  /// The text with its line ends, cleaned and cut to `limit` bytes.
  func kept(_ limit: Int) -> String {
    var text = self
    return text.withUTF8 { SanitizedText.lines($0, atMost: limit) }
  }

  /// The id unchanged, or replaced by a hash if it is longer than `DecodingLimits.idBytes`.
  var id: String {
    guard utf8.count > DecodingLimits.idBytes else { return self }
    var text = self
    return text.withUTF8 { Self.id(ofLong: $0) }
  }

  /// A 128-bit hash that replaces a long id. Different ids stay different.
  fileprivate static func id(ofLong bytes: UnsafeBufferPointer<UInt8>) -> String {
    let words = [UInt64(3), 4].map { seed in
      var hash = SeededHash(seed: seed)
      hash.combine(bytes)
      return String(hash.value, radix: 16)
    }
    return "long-id:" + words.joined(separator: ".")
  }
}
