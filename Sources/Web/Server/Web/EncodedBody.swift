import Core

/// The body of a response, compressed if the client allows it, with the matching headers.
struct EncodedBody {
  let bytes: [UInt8]
  let tag: String
  let headers: [(String, String)]

  /// The smallest body, in bytes, that is compressed.
  private static let least = 1_024

  /// Compresses the body if the client allows it. `maySqueeze`: false for pages with a secret. Next to text that an
  /// attacker chooses, the compressed length would reveal it letter by letter (BREACH).
  init(_ plain: [UInt8], gzip: Bool, maySqueeze: Bool = true) {
    let tag = EntityTag.of(plain)
    guard gzip, maySqueeze, plain.count >= Self.least, let packed = Self.pack(plain) else {
      self.init(bytes: plain, tag: tag, headers: [])
      return
    }
    self.init(bytes: packed, tag: "\(tag.dropLast())-gzip\"", headers: [("Content-Encoding", "gzip")])
  }

  private init(bytes: [UInt8], tag: String, headers: [(String, String)]) {
    self.bytes = bytes
    self.tag = tag
    self.headers = headers
  }

  private static func pack(_ plain: [UInt8]) -> [UInt8]? {
    let packed = plain.withUnsafeBytes { Compression.compress(gzip: $0) }
    return packed.count < plain.count ? packed : nil
  }
}

/// The entity tag (ETag) of a body, and its comparison with a request.
public enum EntityTag {
  /// The tag of a body: 64 bits of FNV-1a, in quotation marks.
  public static func of(_ body: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }

  /// Whether the header `If-None-Match` contains the tag: alone, in a list, made weak by a compressing proxy, or as `*`
  /// (RFC 9110 §13.1.2).
  static func matches(_ ifNoneMatch: String?, _ tag: String) -> Bool {
    guard let ifNoneMatch else { return false }
    return ifNoneMatch.split(separator: ",").contains { item in
      var name = item.drop { $0 == " " || $0 == "\t" }
      while name.last == " " || name.last == "\t" { name.removeLast() }
      return name == "*" || (name.hasPrefix("W/") ? name.dropFirst(2) : name) == tag
    }
  }
}
