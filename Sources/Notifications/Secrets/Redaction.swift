/// Takes secrets out of words that others wrote: a receiver may quote the address or the key it was sent.
struct Redaction: Sendable {
  private let hidden: [[UInt8]]

  /// Hides each secret whole, and each longer part of one between slashes, question marks and the like.
  init(_ secrets: [Secret]) {
    var hidden: Set<[UInt8]> = []
    for secret in secrets {
      secret.use { text in
        hidden.insert(Array(text.utf8))
        let parts = text.utf8.split { Array("/?&=:@".utf8).contains($0) }
        // Scheme and host of an address say who did not answer, and are no secret.
        for part in parts.dropFirst(text.contains("://") ? 2 : 0) where part.count >= 8 { hidden.insert(Array(part)) }
      }
    }
    // The longest first: a part must not leave the rest of its whole behind.
    self.hidden = hidden.sorted { $0.count > $1.count }
  }

  /// `text` with `…` in place of every secret. Bytes are compared: a combining mark behind a secret does not hide it.
  func apply(_ text: String) -> String {
    let bytes = hidden.reduce(Array(text.utf8)) { $0.replacing($1, with: Array("…".utf8)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
