/// The entity tag (ETag) of a body, and its comparison with a request.
public enum EntityTag {
  /// The tag of a body: 64 bits of FNV-1a, in quotation marks.
  public static func of(_ body: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }

  /// Whether the header `If-None-Match` contains the tag: alone, in a list, as a weak tag of a compressing proxy, or as
  /// `*` (RFC 9110 §13.1.2).
  static func matches(_ ifNoneMatch: String?, _ tag: String) -> Bool {
    guard let ifNoneMatch else { return false }
    return ifNoneMatch.split(separator: ",").contains { item in
      var name = item.drop { $0 == " " || $0 == "\t" }
      while name.last == " " || name.last == "\t" { name.removeLast() }
      return name == "*" || (name.hasPrefix("W/") ? name.dropFirst(2) : name) == tag
    }
  }
}
