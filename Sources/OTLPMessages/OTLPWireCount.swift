/// The size of a protobuf request, counted on its bytes before anything is built from it: an empty message takes two
/// bytes there, and two hundred in memory.
public struct OTLPWireCount: Equatable, Sendable {
  /// The number of data points, log records and spans.
  public private(set) var points = 0
  /// The number of messages of every kind, including attributes and their values.
  public private(set) var messages = 0
  /// The number of elements in repeated number fields: bounds and counts of buckets.
  public private(set) var numbers = 0

  /// The deepest nesting of messages.
  static let deepest = 64

  /// Counts the messages of a signal's export request. Throws at the first message that exceeds one of the `limits`,
  /// with its path.
  public static func check(
    _ bytes: UnsafeRawBufferPointer, _ signal: OTLPResponse.Signal, limits: OTLPWireLimits
  ) throws(OTLPWireError) -> OTLPWireCount {
    var walk = WireWalk(bytes: bytes, limits: limits)
    let root: WireMessage =
      switch signal {
      case .metrics: .metricsRequest
      case .logs: .logsRequest
      case .traces: .tracesRequest
      }
    do throws(WireFailure) {
      try walk.message(root, until: bytes.count, depth: 0)
    } catch {
      guard case .tooMany(let what, let most, let offset) = error else { throw OTLPWireError(error) }
      let path = WirePath.of(offset, in: bytes, root)
      throw OTLPWireError(path: path, problem: "a request may hold \(most) \(what); send the rest in another")
    }
    return walk.count
  }

  fileprivate mutating func add(_ kind: WireMessage) {
    messages += 1
    if kind.isPoint { points += 1 }
  }

  fileprivate mutating func add(numbers more: Int) { numbers += more }
}

/// The most elements of each kind in one request.
public struct OTLPWireLimits: Sendable {
  public var points: Int
  public var messages: Int
  public var numbers: Int

  public init(points: Int, messages: Int, numbers: Int) {
    self.points = points
    self.messages = messages
    self.numbers = numbers
  }
}

/// The error for bytes that are not a message, or that exceed a limit.
public struct OTLPWireError: Error, Equatable {
  /// The path of the message that exceeds a limit, such as `resourceMetrics[0].scopeMetrics[1].metrics[7]`; nil for
  /// bytes that are not a message.
  public let path: String?
  public let problem: String

  init(path: String?, problem: String) {
    self.path = path
    self.problem = problem
  }

  fileprivate init(_ failure: WireFailure) {
    let problem =
      switch failure {
      case .truncated: "the message ends before its last field does"
      case .malformed: "a field has a number or wire type that cannot be"
      case .tooDeep: "values are nested deeper than \(OTLPWireCount.deepest) levels"
      case .tooMany(let what, let most, _): "more than \(most) \(what)"
      }
    self.init(path: nil, problem: problem)
  }
}

private enum WireFailure: Error {
  case truncated
  case malformed
  case tooDeep
  case tooMany(String, Int, at: Int)
}

/// The messages of otlp.proto, with those of their fields that contain messages or repeated numbers.
private enum WireMessage {
  case metricsRequest, resourceMetrics, scopeMetrics, metric
  case numberPoints, histogramPoints, exponentialPoints, summaryPoints
  case numberPoint, histogramPoint, exponentialPoint, summaryPoint, buckets
  case logsRequest, resourceLogs, scopeLogs, logRecord
  case tracesRequest, resourceSpans, scopeSpans, span
  case resource, scope, keyValue, anyValue, arrayValue, keyValueList

  enum Field {
    case message(WireMessage, String)
    /// Repeated numbers of eight bytes each.
    case fixed64
    /// Repeated numbers of a varint each.
    case varint
  }

  var isPoint: Bool {
    switch self {
    case .numberPoint, .histogramPoint, .exponentialPoint, .summaryPoint, .logRecord, .span: true
    default: false
    }
  }

  /// The type of the field with this number: a nested message or repeated numbers. Nil for a single number or text, and
  /// for fields that are not read.
  func field(_ number: UInt64) -> Field? {
    switch (self, number) {
    case (.metricsRequest, 1): .message(.resourceMetrics, "resourceMetrics")
    case (.logsRequest, 1): .message(.resourceLogs, "resourceLogs")
    case (.tracesRequest, 1): .message(.resourceSpans, "resourceSpans")
    case (.resourceMetrics, 1), (.resourceLogs, 1), (.resourceSpans, 1): .message(.resource, "resource")
    case (.resourceMetrics, 2): .message(.scopeMetrics, "scopeMetrics")
    case (.resourceLogs, 2): .message(.scopeLogs, "scopeLogs")
    case (.resourceSpans, 2): .message(.scopeSpans, "scopeSpans")
    case (.scopeMetrics, 1), (.scopeLogs, 1), (.scopeSpans, 1): .message(.scope, "scope")
    case (.scopeMetrics, 2): .message(.metric, "metrics")
    case (.scopeLogs, 2): .message(.logRecord, "logRecords")
    case (.scopeSpans, 2): .message(.span, "spans")
    case (.resource, 1), (.scope, 3), (.numberPoint, 7), (.histogramPoint, 9), (.exponentialPoint, 1), (.logRecord, 6),
      (.span, 9):
      .message(.keyValue, "attributes")
    case (.logRecord, 5): .message(.anyValue, "body")
    case (.keyValue, 2): .message(.anyValue, "value")
    case (.anyValue, 5): .message(.arrayValue, "arrayValue")
    case (.anyValue, 6): .message(.keyValueList, "kvlistValue")
    case (.arrayValue, 1): .message(.anyValue, "values")
    case (.keyValueList, 1): .message(.keyValue, "values")
    case (.metric, 5): .message(.numberPoints, "gauge")
    case (.metric, 7): .message(.numberPoints, "sum")
    case (.metric, 9): .message(.histogramPoints, "histogram")
    case (.metric, 10): .message(.exponentialPoints, "exponentialHistogram")
    case (.metric, 11): .message(.summaryPoints, "summary")
    case (.numberPoints, 1): .message(.numberPoint, "dataPoints")
    case (.histogramPoints, 1): .message(.histogramPoint, "dataPoints")
    case (.exponentialPoints, 1): .message(.exponentialPoint, "dataPoints")
    case (.summaryPoints, 1): .message(.summaryPoint, "dataPoints")
    case (.exponentialPoint, 8): .message(.buckets, "positive")
    case (.exponentialPoint, 9): .message(.buckets, "negative")
    case (.histogramPoint, 6), (.histogramPoint, 7): .fixed64
    case (.buckets, 2): .varint
    default: nil
    }
  }
}

/// Reads tags and lengths, and skips field contents.
private struct WireReader {
  let bytes: UnsafeRawBufferPointer
  var at = 0

  mutating func varint(until end: Int) throws(WireFailure) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < end {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { throw .malformed }
    }
    throw .truncated
  }

  /// The end offset of a length-delimited field, whose length is read here.
  mutating func end(until end: Int) throws(WireFailure) -> Int {
    let length = try varint(until: end)
    guard length <= UInt64(end - at) else { throw .truncated }
    return at + Int(length)
  }

  mutating func skip(_ count: Int, until end: Int) throws(WireFailure) {
    guard count <= end - at else { throw .truncated }
    at += count
  }

  /// Skips a field after its tag. Groups, which are deprecated, are skipped with their contents.
  mutating func skip(_ tag: UInt64, until end: Int) throws(WireFailure) {
    var groups: [UInt64] = []
    var tag = tag
    while true {
      guard tag >> 3 > 0, tag >> 3 < 1 << 29 else { throw .malformed }
      switch tag & 7 {
      case 0: _ = try varint(until: end)
      case 1: try skip(8, until: end)
      case 2: at = try self.end(until: end)
      case 5: try skip(4, until: end)
      case 3:
        groups.append(tag >> 3)
        if groups.count > OTLPWireCount.deepest { throw .tooDeep }
      case 4: guard groups.popLast() == tag >> 3 else { throw .malformed }
      default: throw .malformed
      }
      if groups.isEmpty { return }
      tag = try varint(until: end)
    }
  }
}

private struct WireWalk {
  var reader: WireReader
  let limits: OTLPWireLimits
  var count = OTLPWireCount()

  init(bytes: UnsafeRawBufferPointer, limits: OTLPWireLimits) {
    reader = WireReader(bytes: bytes)
    self.limits = limits
  }

  /// Counts the fields of a message that ends at the offset `end`.
  mutating func message(_ kind: WireMessage, until end: Int, depth: Int) throws(WireFailure) {
    guard depth <= OTLPWireCount.deepest else { throw .tooDeep }
    while reader.at < end {
      let start = reader.at
      let tag = try reader.varint(until: end)
      switch (tag & 7, kind.field(tag >> 3)) {
      case (2, .message(let inner, _)):
        let innerEnd = try reader.end(until: end)
        count.add(inner)
        try check(at: start)
        try message(inner, until: innerEnd, depth: depth + 1)
      case (2, .fixed64):
        let innerEnd = try reader.end(until: end)
        count.add(numbers: (innerEnd - reader.at) / 8)
        try check(at: start)
        reader.at = innerEnd
      case (2, .varint):
        let innerEnd = try reader.end(until: end)
        // Every varint ends with one byte below 128.
        for at in reader.at..<innerEnd where reader.bytes[at] < 0x80 { count.add(numbers: 1) }
        try check(at: start)
        reader.at = innerEnd
      case (_, .fixed64), (_, .varint):
        count.add(numbers: 1)
        try check(at: start)
        try reader.skip(tag, until: end)
      default: try reader.skip(tag, until: end)
      }
    }
  }

  private func check(at offset: Int) throws(WireFailure) {
    if count.points > limits.points { throw .tooMany("data points, log records or spans", limits.points, at: offset) }
    if count.messages > limits.messages {
      throw .tooMany("messages (points, attributes and their values)", limits.messages, at: offset)
    }
    if count.numbers > limits.numbers { throw .tooMany("bounds and counts of buckets", limits.numbers, at: offset) }
  }
}

/// Finds the path of a field by a second pass, which is made only for refused requests.
private enum WirePath {
  static func of(_ offset: Int, in bytes: UnsafeRawBufferPointer, _ root: WireMessage) -> String {
    var reader = WireReader(bytes: bytes)
    var (kind, end, path) = (root, bytes.count, "")
    var counts: [String: Int] = [:]
    while reader.at <= offset, reader.at < end {
      let start = reader.at
      guard let tag = try? reader.varint(until: end) else { return path }
      guard tag & 7 == 2, case .message(let inner, let name)? = kind.field(tag >> 3) else {
        guard (try? reader.skip(tag, until: end)) != nil else { return path }
        continue
      }
      guard let innerEnd = try? reader.end(until: end) else { return path }
      let index = counts[name, default: 0]
      counts[name] = index + 1
      guard offset < innerEnd else {
        reader.at = innerEnd
        continue
      }
      path += (path.isEmpty ? "" : ".") + "\(name)[\(index)]"
      if start == offset || path.utf8.count > 300 { return path }
      (kind, end, counts) = (inner, innerEnd, [:])
    }
    return path
  }
}
