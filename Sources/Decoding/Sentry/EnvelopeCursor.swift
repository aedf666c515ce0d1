internal import JSON

/// Cuts an envelope into its header line and its items (develop.sentry.dev, "Envelopes").
///
/// Only `\n` ends a line. An item with a `length` takes exactly that many bytes, one without reaches to the end of the line.
struct EnvelopeCursor {
  private let body: UnsafeRawBufferPointer
  private let isPadded: Bool
  private var at: Int
  private var index = 0
  /// The bytes of the envelope's own header.
  let header: Range<Int>

  /// More items than this are refused.
  private static let mostItems = Limits.documents

  init(_ body: UnsafeRawBufferPointer, isPadded: Bool) {
    self.body = body
    self.isPadded = isPadded
    header = 0..<Self.endOfLine(in: body, from: 0)
    at = min(header.upperBound + 1, body.count)
  }

  /// Reads the envelope's own header. It may be empty, `{}`, but not absent.
  func withHeader<Result>(_ parser: JSONParser, _ read: (JSONObject) throws -> Result) throws -> Result {
    if body.isEmpty { throw DecodingFailure(.empty, "the envelope is empty") }
    return try parse(header, "header", parser) { try read($0.object()) }
  }

  /// The next item; nil behind the last. Throws when what follows is no item: then nothing behind it can be found either.
  mutating func next(_ parser: JSONParser) throws -> EnvelopeItem? {
    guard body[at...].contains(where: { $0 != UInt8(ascii: "\n") }) else { return nil }
    guard index < Self.mostItems else {
      throw DecodingFailure(.value, "an envelope may hold \(Self.mostItems) items; send the rest in another")
    }
    let line = at..<Self.endOfLine(in: body, from: at)
    let start = min(line.upperBound + 1, body.count)
    let path = "items[\(index)]"
    let (kind, end) = try parse(line, path, parser) { value in
      let header = try value.object()
      return (try Self.kind(header), try payloadEnd(header, startingAt: start, path))
    }
    defer { index += 1 }
    at = min(end + 1, body.count)
    return EnvelopeItem(index: index, kind: kind, payload: start..<end)
  }

  /// Reads the JSON that stands at `range`, and puts `path` in front of what it throws.
  func parse<Result>(
    _ range: Range<Int>, _ path: @autoclosure () -> String, _ parser: JSONParser, _ read: (JSONValue) throws -> Result
  ) throws -> Result {
    let isPadded = isPadded || range.upperBound + JSONParser.padding <= body.count
    var result: Result?
    try ReportDocumentReader.failures(inside: path()) {
      try parser.withDocument(
        UnsafeRawBufferPointer(rebasing: body[range]), isPadded: isPadded, offset: range.lowerBound
      ) { result = try read($0) }
    }
    guard let result else { throw DecodingFailure(.syntax, path: path(), "could not be read") }
    return result
  }

  private func payloadEnd(_ header: JSONObject, startingAt start: Int, _ path: String) throws -> Int {
    guard let length = header["length"] else { return Self.endOfLine(in: body, from: start) }
    let count = try length.unsignedInteger()
    let rest = body.count - start
    guard count <= UInt64(rest) else {
      throw length.failure("\(count) bytes are announced, and \(rest) are left")
    }
    let end = start + Int(count)
    guard end == body.count || body[end] == UInt8(ascii: "\n") else {
      throw length.failure("no line ends behind the announced \(count) bytes")
    }
    return end
  }

  private static func kind(_ header: JSONObject) throws -> EnvelopeItem.Kind {
    switch try header.required("type").text() {
    case "session": .session
    case "sessions": .sessions
    case "event": .event
    case "client_report": .clientReport
    default: .other
    }
  }

  private static func endOfLine(in body: UnsafeRawBufferPointer, from start: Int) -> Int {
    body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
  }
}
