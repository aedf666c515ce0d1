import Core

/// The content coding of a request's body.
enum BodyCoding: Equatable {
  case plain
  case packed(ContentEncodings)
  /// An unsupported coding: the value of Content-Encoding.
  case unknown(String)

  /// The codings to undo; nil for a body that is not compressed.
  var packing: ContentEncodings? { if case .packed(let packing) = self { packing } else { nil } }

  /// Reads all Content-Encoding fields as one list (RFC 9110 §8.4), whose last coding was applied last. `identity`
  /// means no coding. With `unknownIsIdentity`, which Sentry's protocol requires, an unsupported list also means no
  /// coding.
  init(_ head: borrowing RequestHead, unknownIsIdentity: Bool = false) {
    self = head.hasContentCoding ? Self(head.headers, unknownIsIdentity: unknownIsIdentity) : .plain
  }

  init(_ request: RequestSnapshot) { self.init(request.headers, unknownIsIdentity: false) }

  private init(_ headers: [(name: String, value: String)], unknownIsIdentity: Bool) {
    let fields = headers.filter { $0.name.lowercased() == "content-encoding" }.map(\.value)
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

/// The one or two codings of a compressed body.
struct ContentEncodings: Equatable {
  /// The coding that was applied last and is undone first.
  let outer: ContentCoding
  let inner: ContentCoding?

  /// The number of zero bytes after a decompressed body, which simdjson may read.
  private static let padding = 64

  /// Undoes the codings. No step may produce more than `limit` bytes.
  func unpack(_ body: UnsafeRawBufferPointer, limit: Int) throws(CompressionError) -> Decompressed {
    let unpacked = try Compression.decompress(body, outer, limit: limit, padding: Self.padding)
    guard let inner else { return unpacked }
    return try unpacked.withOutput { bytes throws(CompressionError) in
      try Compression.decompress(bytes, inner, limit: limit, padding: Self.padding)
    }
  }
}
