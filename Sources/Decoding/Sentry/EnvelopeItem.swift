/// One item of an envelope: where its payload stands, and what it is.
struct EnvelopeItem {
  /// Its place among the items, from 0.
  let index: Int
  let kind: Kind
  /// The bytes of its payload within the body.
  let payload: Range<Int>

  /// The types that are told apart. Everything else is skipped, as the protocol wants it.
  enum Kind {
    case session
    case sessions
    case event
    case clientReport
    case other
  }

  /// `items[2]`, as it stands in errors.
  var path: String { "items[\(index)]" }
}
