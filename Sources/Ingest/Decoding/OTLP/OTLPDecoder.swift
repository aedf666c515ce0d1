internal import Core

extension OTLPEncoding {
  /// Decodes a metrics request.
  func metrics(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: DecodingQuota
  ) throws -> Decoded {
    var reader = OTLPMetricsReader(context: context, quota: quota)
    reader.read(try request(body, parser))
    return reader.collection.decoded
  }

  /// Decodes a logs request.
  func logs(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: DecodingQuota
  ) throws -> Decoded {
    var reader = OTLPLogsReader(context: context, parser: parser, quota: quota)
    reader.read(try request(body, parser))
    return reader.decoded
  }

  /// Decodes a traces request.
  func traces(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: DecodingQuota
  ) throws -> Decoded {
    var reader = OTLPTracesReader(context: context, parser: parser, quota: quota)
    reader.read(try request(body, parser))
    return reader.decoded
  }

  func request<Request: OTLPMessage>(_ body: UnsafeRawBufferPointer, _ parser: JSONParser) throws -> Request {
    do {
      switch self {
      case .protobuf: return try OTLPWireReader.request(in: body)
      case .json:
        guard JSONParser.valueCount(of: body, over: OTLPLimits.jsonValues) <= OTLPLimits.jsonValues else {
          throw DecodingFailure(
            .value, "a request may have at most \(OTLPLimits.jsonValues) values and names; split it")
        }
        return try parser.withDocument(body) { try OTLPJSONReader.request(in: $0) }
      }
    } catch let failure as OTLPFailure {
      throw DecodingFailure(failure, in: self)
    }
  }
}

extension DecodingFailure {
  fileprivate init(_ failure: OTLPFailure, in encoding: OTLPEncoding) {
    switch (failure, encoding) {
    case (.tooMany(let problem, let path), _):
      self.init(.value, path: OTLPFailure.path(path), problem)
    case (.malformed(let problem), .protobuf):
      self.init(.syntax, "the body is not an OTLP export request in protobuf: \(problem)")
    case (.malformed(let problem), .json):
      self.init(.type, "the body is JSON, but not an OTLP export request: \(problem)")
    }
  }
}

/// The reason why a body is not read.
enum OTLPFailure: Error {
  /// It is not a message, with an explanation.
  case malformed(String)
  /// It exceeds a limit of requests, with an explanation. `path`: the first message beyond the limit, from the inside
  /// out.
  case tooMany(String, path: [String])

  static let tooManyPoints = OTLPFailure.tooMany(
    "a request may have at most \(OTLPLimits.points) data points, log records or spans; split it", path: [])
  static let tooDeep = OTLPFailure.malformed("values are nested deeper than \(OTLPLimits.depth) levels")

  /// The failure of the message around the failed one, which is its `index`th with this name.
  func inside(_ name: StaticString, _ index: Int) -> OTLPFailure {
    guard case .tooMany(let problem, let path) = self else { return self }
    return .tooMany(problem, path: path + ["\(name)[\(index)]"])
  }

  /// The path from the outside in, cut after 300 bytes.
  static func path(_ names: [String]) -> String {
    names.reversed().reduce("") { $0.utf8.count > 300 ? $0 : $0.isEmpty ? $1 : "\($0).\($1)" }
  }
}

/// Limits of one OTLP request. A collector's largest batches have about ten thousand points with ten attributes each.
/// An attribute is two protobuf messages.
enum OTLPLimits {
  static let points = 25_000
  /// The most messages of every kind in protobuf, including attributes and their values.
  static let messages = 250_000
  /// The most bounds and counts of buckets in protobuf.
  static let numbers = 2_000_000
  static let jsonValues = 1_000_000
  /// The deepest nesting of messages. It keeps the stack from overflowing.
  static let depth = 64
  /// The most non-empty buckets of one exponential histogram. All buckets of a cumulative stream are stored until it
  /// ends.
  static let buckets = 1_024
  /// The most buckets between explicit bounds. SDKs use a few dozen.
  static let bounds = 2_048
  /// The age in milliseconds up to which the end of a session may count the session. It is below the shortest time for
  /// which sessions are remembered (`keep-sessions`).
  static let sessionEndAge: Int64 = 86_400_000
}
