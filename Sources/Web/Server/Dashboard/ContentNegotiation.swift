import Core

/// Parses the headers `Accept` and `Accept-Encoding` (RFC 9110 §12.5) without allocations, because it runs for every
/// page.
enum AcceptHeader {
  /// The weight of a media type or coding; nil if it is not in the header. `wanted`: in lower case.
  static func weight(of wanted: StaticString, in header: String) -> Double? {
    var header = header
    return header.withUTF8 { bytes in
      bytes.split(separator: UInt8(ascii: ",")).compactMap { weight(of: wanted, range: $0) }.max()
    }
  }

  /// Whether an `Accept-Encoding` allows gzip.
  static func allowsGzip(_ header: String?) -> Bool {
    guard let header else { return false }
    return (weight(of: "gzip", in: header) ?? weight(of: "*", in: header) ?? 0) > 0
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  /// The weight (`q`) of one entry of the header: 1 without a `q`, 0 if `q` is not a number. Nil if the entry is not
  /// `wanted`.
  private static func weight(of wanted: StaticString, range: Bytes) -> Double? {
    var parameters = range.split(separator: UInt8(ascii: ";")).makeIterator()
    guard let name = parameters.next(), isEqual(name, wanted) else { return nil }
    while let parameter = parameters.next() {
      var rest = parameter.lazy.filter { !isSpace($0) }.makeIterator()
      guard let letter = rest.next(), letter | 0x20 == UInt8(ascii: "q"), rest.next() == UInt8(ascii: "=") else {
        continue
      }
      return Double(String(decoding: IteratorSequence(rest).map { $0 }, as: UTF8.self)) ?? 0
    }
    return 1
  }

  /// Whether two texts are equal, in any letter case and ignoring spaces.
  private static func isEqual(_ bytes: Bytes, _ wanted: StaticString) -> Bool {
    let left = bytes.lazy.filter { !isSpace($0) }.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    return left.elementsEqual(UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The body of a response, compressed if the client allows it, with the matching headers.
struct EncodedBody {
  let bytes: [UInt8]
  let tag: String
  let headers: [(String, String)]

  /// The smallest body, in bytes, that is compressed.
  private static let least = 1_024

  /// Compresses the body if the client allows it. `maySqueeze`: false for pages with a secret, because the compressed
  /// length would reveal it next to text that an attacker chooses (BREACH).
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
