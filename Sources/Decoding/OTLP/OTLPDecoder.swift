internal import JSON
internal import OTLPMessages

extension OTLPEncoding {
  /// What a metrics request holds.
  func metrics(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ load: RequestLoad
  ) throws -> Decoded {
    try check(body, isLogs: false)
    var reader = OTLPMetricsReader(context: context, load: load)
    let request: OTLPExportMetricsServiceRequest = try request(body, parser) { try .read($0, isJSON: self == .json) }
    try check(points: request.resourceMetrics.reduce(0) { $0 + $1.pointCount })
    reader.read(request)
    return reader.collection.decoded
  }

  /// What a logs request holds.
  func logs(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ load: RequestLoad
  ) throws -> Decoded {
    try check(body, isLogs: true)
    var reader = OTLPLogsReader(context: context, parser: parser, load: load)
    let request: OTLPExportLogsServiceRequest = try request(body, parser) { try .read($0, isJSON: self == .json) }
    let records = request.resourceLogs.reduce(0) { $0 + $1.scopeLogs.reduce(0) { $0 + $1.logRecords.count } }
    try check(points: records)
    reader.read(request)
    return reader.collection.decoded
  }

  /// Refuses a body that would become too much, before anything is built of it.
  private func check(_ body: UnsafeRawBufferPointer, isLogs: Bool) throws(DecodingFailure) {
    guard self == .protobuf else {
      guard JSONParser.valueCount(of: body, over: OTLPLimits.jsonValues) <= OTLPLimits.jsonValues else {
        throw DecodingFailure(
          .value, "a request may hold \(OTLPLimits.jsonValues) values and names; send the rest in another")
      }
      return
    }
    do {
      _ = try OTLPWireCount.check(body, isLogs: isLogs, limits: OTLPLimits.wire)
    } catch {
      guard let path = error.path else { throw Self.notProtobuf(error.problem) }
      throw DecodingFailure(.value, path: path, error.problem)
    }
  }

  /// What is written in JSON is counted when it was read.
  private func check(points: Int) throws(DecodingFailure) {
    guard points <= OTLPLimits.wire.points else {
      throw DecodingFailure(
        .value, "a request may hold \(OTLPLimits.wire.points) data points or log records; send the rest in another")
    }
  }

  private static func notProtobuf(_ problem: String) -> DecodingFailure {
    DecodingFailure(.syntax, "the body is no OTLP export request in protobuf: \(problem)")
  }

  private func request<Request>(
    _ body: UnsafeRawBufferPointer, _ parser: JSONParser, _ read: ([UInt8]) throws -> Request
  ) throws -> Request {
    do {
      return try read(Array(body))
    } catch let error as OTLPSyntaxError {
      guard self == .json else { throw Self.notProtobuf(error.description) }
      // Where JSON ends to be JSON, our own parser knows the byte.
      try parser.withDocument(body) { _ in }
      throw DecodingFailure(
        .type,
        "the body is JSON, but no OTLP export request: its members are those of OTLP's JSON mapping, 64-bit numbers as "
          + "strings or numbers")
    }
  }
}

/// How much one OTLP request may hold. A collector's largest batches have some ten thousand points with ten attributes each,
/// which are two messages each.
enum OTLPLimits {
  static let wire = OTLPWireLimits(points: 25_000, messages: 250_000, numbers: 2_000_000)
  static let jsonValues = 1_000_000
  /// Buckets with values that are kept of one histogram: of a cumulative one all are remembered until it ends.
  static let buckets = 1_024
  /// Buckets between explicit bounds, of which SDKs make some dozens.
  static let bounds = 2_048
}
