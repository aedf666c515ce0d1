internal import JSON
internal import OTLPMessages
internal import Telemetry

extension OTLPEncoding {
  /// Decodes a metrics request.
  func metrics(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: RequestQuota
  ) throws -> Decoded {
    try check(body, .metrics)
    var reader = OTLPMetricsReader(context: context, quota: quota)
    let plain = self == .json ? OTLPPlainJSON.metrics(in: body, parser) : OTLPPlainWire.metrics(in: body)
    let request: OTLPExportMetricsServiceRequest =
      try plain ?? request(body, parser) { try .read($0, isJSON: self == .json) }
    try check(points: request.resourceMetrics.reduce(0) { $0 + $1.pointCount })
    reader.read(request)
    return reader.collection.decoded
  }

  /// Decodes a logs request.
  func logs(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: RequestQuota
  ) throws -> Decoded {
    try check(body, .logs)
    var reader = OTLPLogsReader(context: context, parser: parser, quota: quota)
    let request: OTLPExportLogsServiceRequest = try request(body, parser) { try .read($0, isJSON: self == .json) }
    let records = request.resourceLogs.reduce(0) { $0 + $1.scopeLogs.reduce(0) { $0 + $1.logRecords.count } }
    try check(points: records)
    reader.read(request)
    return reader.collection.decoded
  }

  /// Decodes a traces request.
  func traces(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: RequestQuota
  ) throws -> Decoded {
    try check(body, .traces)
    var reader = OTLPTracesReader(context: context, quota: quota)
    let request: OTLPExportTraceServiceRequest = try request(body, parser) { try .read($0, isJSON: self == .json) }
    try check(points: request.resourceSpans.reduce(0) { $0 + $1.scopeSpans.reduce(0) { $0 + $1.spans.count } })
    reader.read(request)
    return reader.collection.decoded
  }

  /// Throws if the request exceeds the limits on its number of elements, before anything is built from it.
  private func check(_ body: UnsafeRawBufferPointer, _ signal: OTLPResponse.Signal) throws(DecodingFailure) {
    guard self == .protobuf else {
      guard JSONParser.valueCount(of: body, over: OTLPLimits.jsonValues) <= OTLPLimits.jsonValues else {
        throw DecodingFailure(
          .value, "a request may hold \(OTLPLimits.jsonValues) values and names; send the rest in another")
      }
      return
    }
    do {
      _ = try OTLPWireCount.check(body, signal, limits: OTLPLimits.wire)
    } catch {
      guard let path = error.path else { throw Self.notProtobuf(error.problem) }
      throw DecodingFailure(.value, path: path, error.problem)
    }
  }

  /// Throws if there are too many points. In JSON they can be counted only after parsing.
  private func check(points: Int) throws(DecodingFailure) {
    guard points <= OTLPLimits.wire.points else {
      throw DecodingFailure(
        .value,
        "a request may hold \(OTLPLimits.wire.points) data points, log records or spans; send the rest in another")
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
      // Plumb's own parser reports the byte at which the body stops being JSON.
      try parser.withDocument(body) { _ in }
      throw DecodingFailure(
        .type,
        "the body is JSON, but no OTLP export request: its members are those of OTLP's JSON mapping, 64-bit numbers as "
          + "strings or numbers")
    }
  }
}

/// Limits of one OTLP request. A collector's largest batches have some ten thousand points with ten attributes each,
/// which are two protobuf messages each.
enum OTLPLimits {
  static let wire = OTLPWireLimits(points: 25_000, messages: 250_000, numbers: 2_000_000)
  static let jsonValues = 1_000_000
  /// The most non-empty buckets of one exponential histogram. Those of a cumulative stream are all stored until it
  /// ends.
  static let buckets = 1_024
  /// The most buckets between explicit bounds. SDKs use some dozens.
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

  /// Changes the report of an origin, which is created by its first change.
  mutating func update(_ origin: OTLPOrigin, _ change: (inout Report) -> Void) throws(DecodingFailure) {
    // Fast path: points and records of one resource come one after another.
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
