internal import Core

extension OTLPEncoding {
  /// Decodes a metrics request.
  func metrics(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: RequestQuota
  ) throws -> Decoded {
    var reader = OTLPMetricsReader(context: context, quota: quota)
    reader.read(try request(body, parser))
    return reader.collection.decoded
  }

  /// Decodes a logs request.
  func logs(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: RequestQuota
  ) throws -> Decoded {
    var reader = OTLPLogsReader(context: context, parser: parser, quota: quota)
    reader.read(try request(body, parser))
    return reader.collection.decoded
  }

  /// Decodes a traces request.
  func traces(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: RequestQuota
  ) throws -> Decoded {
    var reader = OTLPTracesReader(context: context, quota: quota)
    reader.read(try request(body, parser))
    return reader.collection.decoded
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
}

/// The reports of a request, one per origin, and the number of points or records that were left out.
struct OTLPCollection {
  private(set) var reports: [Report] = []
  private var indexOfReport: [Key: Int] = [:]
  private var last: (origin: OTLPOrigin, index: Int)?
  private var rejected = 0
  private var message: String?

  /// The fields of an origin that two resources must share to be stored in one report.
  private struct Key: Hashable {
    let environment: String
    let bundleID: String?
    let release: Release
    let device: Device
    let attribute: AppAttribute?
  }

  /// Changes the report of an origin. Its first change creates the report.
  mutating func update(_ origin: OTLPOrigin, _ change: (inout Report) -> Void) throws(DecodingFailure) {
    // Fast path: the points and records of one resource are adjacent.
    if let last, last.origin == origin { return change(&reports[last.index]) }
    let key = Key(
      environment: origin.environment, bundleID: origin.bundleID, release: origin.release, device: origin.device,
      attribute: origin.attribute)
    if let index = indexOfReport[key] { last = (origin, index) }
    if let index = indexOfReport[key] { return change(&reports[index]) }
    guard reports.count < DecodingLimits.documents else {
      throw DecodingFailure(.value, "a request may come from at most \(DecodingLimits.documents) different origins")
    }
    indexOfReport[key] = reports.count
    last = (origin, reports.count)
    var report = Report(
      source: .otlp, environment: origin.environment, bundleID: origin.bundleID, release: origin.release,
      device: origin.device, attribute: origin.attribute)
    change(&report)
    reports.append(report)
  }

  /// Counts points or records that are not stored. The response contains the first reason.
  mutating func reject(_ reason: @autoclosure () -> String, count: Int = 1) {
    guard count > 0 else { return }
    rejected = rejected.saturatingAdd(count)
    if message == nil { message = reason() }
  }

  var decoded: Decoded {
    Decoded(
      reports: reports, rejection: message.map { PartialRejection(count: rejected, message: $0) })
  }
}
