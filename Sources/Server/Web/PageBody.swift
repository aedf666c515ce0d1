import Compression
import HTTP

/// The body of an answer in the form its reader takes, with the headers that say which.
struct PageBody {
  let bytes: [UInt8]
  let tag: String
  let headers: [(String, String)]

  /// Smaller ones gain nothing.
  private static let least = 1_024

  /// `maySqueeze`: false where a secret stands beside what somebody else can choose: the length of the squeezed whole would
  /// tell it, letter by letter.
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
