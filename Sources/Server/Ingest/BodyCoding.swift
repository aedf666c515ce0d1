import Compression
import HTTP

/// How the body of a request is packed.
enum BodyCoding: Equatable {
  case plain
  case packed(ContentEncodings)
  /// The Content-Encoding as it was sent.
  case unknown(String)

  /// Nil for a body that is plain or counts as that.
  var packing: ContentEncodings? { if case .packed(let packing) = self { packing } else { nil } }

  /// Reads all Content-Encoding fields as one list (RFC 9110 §8.4), whose last coding was applied last. `identity` is
  /// none. Where `unknownIsIdentity`, as Sentry's protocol wants it, a list that is not understood counts as no coding.
  init(_ head: borrowing RequestHead, unknownIsIdentity: Bool = false) {
    guard head.hasContentCoding else {
      self = .plain
      return
    }
    let fields = head.headers.filter { $0.name.lowercased() == "content-encoding" }.map(\.value)
    let list = fields.joined(separator: ",")
    let tokens = list.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
      .filter { !Self.isNothing($0) }
    let codings = tokens.compactMap { ContentCoding(name: $0) }
    if codings.count < tokens.count || codings.count > 2 {
      self = unknownIsIdentity ? .plain : .unknown(list)
    } else {
      self = codings.last.map { .packed(ContentEncodings(outer: $0, inner: codings.dropLast().last)) } ?? .plain
    }
  }

  private static func isNothing(_ token: Substring) -> Bool {
    let trimmed = token.utf8.filter { $0 != 0x20 && $0 != 0x09 }
    return trimmed.isEmpty || String(decoding: trimmed, as: UTF8.self).lowercased() == "identity"
  }
}
