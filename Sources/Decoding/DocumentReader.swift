internal import JSON
internal import Telemetry

/// Reads one parsed text: a document, an array of documents, or a client's envelope around them.
struct DocumentReader {
  let context: DecodingContext
  var reports: [Report] = []

  /// Envelopes in envelopes deeper than this are refused.
  private static let deepestEnvelope = 4

  mutating func read(_ root: JSONValue) throws {
    try read(root, depth: 0)
  }

  private mutating func read(_ value: JSONValue, depth: Int) throws {
    switch value.kind {
    case .array:
      let array = try value.array()
      if array.isEmpty { throw DecodingFailure(.empty, path: value.path, "the array holds no document") }
      for element in array { try read(document: element, depth: depth) }
    case .object: try read(document: value, depth: depth)
    case .string where depth > 0: try read(text: value.text(), at: value, depth: depth)
    default: throw value.mismatch("an object or an array of objects")
    }
  }

  private mutating func read(document value: JSONValue, depth: Int) throws {
    let object = try value.object()
    switch DocumentKind(of: object) {
    case .metricPayload: try append(MetricPayloadReader.report(of: object, context), value)
    case .native: try append(NativeReader.report(of: object, context), value)
    case .envelope(let inner):
      guard depth < Self.deepestEnvelope else { throw value.failure("envelopes are nested too deeply") }
      try read(inner, depth: depth + 1)
    case .unsupported(let name):
      throw DecodingFailure(.unsupported, path: value.path, "\(name) is recognised, and not read by this server")
    case .empty: throw DecodingFailure(.empty, path: value.path, "the document has no members")
    case .unknown(let keys):
      throw DecodingFailure(
        .unsupported, path: value.path,
        "expected MetricKit's or native JSON, found an object with the keys \(keys.joined(separator: ", "))")
    }
  }

  /// Reads a payload that an envelope carries as a string of JSON.
  private mutating func read(text: JSONText, at value: JSONValue, depth: Int) throws {
    var inner = DocumentReader(context: context)
    try Self.failures(inside: value.path) {
      try JSONParser().withDocument(UnsafeRawBufferPointer(text.bytes)) { try inner.read($0, depth: depth) }
    }
    for report in inner.reports { try append(report, value) }
  }

  private mutating func append(_ report: Report, _ value: JSONValue) throws {
    guard reports.count < Limits.documents else {
      throw value.failure("a request may hold \(Limits.documents) documents; send the rest in another")
    }
    reports.append(report)
  }

  /// Runs `body`, and puts `path` in front of the path of what it throws.
  static func failures(inside path: @autoclosure () -> String, of body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as DecodingFailure {
      throw failure.inside(path())
    } catch let error as JSONError {
      throw DecodingFailure(error).inside(path())
    }
  }
}
