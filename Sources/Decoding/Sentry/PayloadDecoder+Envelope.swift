internal import JSON

/// What a Sentry client counts its limits by: it may go on sending crashes while sessions have to wait.
public enum EnvelopeCategory: Sendable {
  case session
  case error
}

extension PayloadDecoder {
  /// The DSN in an envelope's first line, which is read by itself; nil when there is none.
  public func envelopeDSN(in body: UnsafeRawBufferPointer, isPadded: Bool = false) -> SentryDSN? {
    let cursor = EnvelopeCursor(body, isPadded: isPadded)
    guard cursor.header.count <= Self.longestHeader else { return nil }
    let text = try? cursor.withHeader(parser) { header in header.text("dsn")?.string }
    return text.flatMap { $0 }.flatMap { SentryDSN($0) }
  }

  /// What an envelope holds as far as it can be cut into items; empty when it is neither sessions nor events.
  public func envelopeCategories(in body: UnsafeRawBufferPointer, isPadded: Bool = false) -> Set<EnvelopeCategory> {
    var cursor = EnvelopeCursor(body, isPadded: isPadded)
    var found: Set<EnvelopeCategory> = []
    while found.count < 2, let item = try? cursor.next(parser) {
      switch item.kind {
      case .session, .sessions: found.insert(.session)
      case .event: found.insert(.error)
      case .clientReport, .other: break
      }
    }
    return found
  }

  /// A first line longer than this holds no DSN.
  private static let longestHeader = 16 << 10

  func sentryEnvelope(
    _ body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ load: RequestLoad
  ) throws -> Decoded {
    var cursor = EnvelopeCursor(body, isPadded: isPadded)
    var reader = try cursor.withHeader(parser) { SentryReader(header: $0, body: body, context, load) }
    while let item = try cursor.next(parser) {
      if item.kind == .other { continue }
      do {
        try cursor.parse(item.payload, item.path, parser) { try reader.read($0.object(), of: item) }
      } catch let failure as DecodingFailure {
        reader.reject(failure.description)
      }
    }
    return reader.decoded
  }

  func sentryStore(
    _ body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ load: RequestLoad
  ) throws -> Decoded {
    try parser.withDocument(body, isPadded: isPadded) { root in
      var reader = SentryReader(header: nil, body: body, context, load)
      try reader.readEvent(root.object())
      return reader.decoded
    }
  }
}
