internal import JSON
public import Telemetry

/// Turns a request body into reports, in the format that its address determines.
///
/// MetricKit's documents, Apple's crash reports and native JSON are distinguished by their keys, whatever the Content-Type of
/// the request. Such a body may hold one document, an array of them, or several one behind the other (newline-delimited or
/// concatenated). It is all or nothing: one document that fails refuses the body.
///
/// It keeps a parser's memory from body to body. Use one per thread.
public final class PayloadDecoder {
  let parser = JSONParser()

  /// A decoder that holds no memory yet.
  public init() {}

  /// What `body` holds, in order. `isPadded`: 64 bytes behind it are readable, which saves a copy.
  public func decode(
    _ body: UnsafeRawBufferPointer, isPadded: Bool = false, as format: PayloadFormat = .sniffed,
    _ context: DecodingContext
  ) throws(DecodingFailure) -> Decoded {
    let load = RequestQuota()
    do {
      switch format {
      case .sniffed:
        if let reports = try crashTexts(body, context, load) { return Decoded(reports: reports) }
        do {
          return Decoded(reports: try reports(in: body, isPadded, context, load))
        } catch let error as JSONError where error.kind == .syntax && Self.isText(body) {
          throw DecodingFailure(.syntax, Self.noReport)
        } catch let failure as DecodingFailure where failure.reason == .syntax && Self.isText(body) {
          throw DecodingFailure(.syntax, Self.noReport)
        }

      case .sentryEnvelope: return try sentryEnvelope(body, isPadded, context, load)
      case .sentryStore: return try sentryStore(body, isPadded, context, load)

      case .otlpMetrics(let encoding): return try encoding.metrics(in: body, context, parser, load)
      case .otlpLogs(let encoding): return try encoding.logs(in: body, context, parser, load)
      }
    } catch let failure as DecodingFailure {
      throw failure
    } catch let error as JSONError {
      throw DecodingFailure(error)
    } catch {
      throw DecodingFailure(.syntax, "the body could not be read: \(error)")
    }
  }

  /// Text that does not even begin like JSON: most likely another file that was taken for a report.
  private static func isText(_ body: UnsafeRawBufferPointer) -> Bool {
    !CrashTextLines.isJSON(body) && body.count > 0
      && body.prefix(512).allSatisfy { $0 >= 0x20 || (9...13).contains($0) }
  }

  private static let noReport =
    "this is text, but neither JSON, which begins with { or [, nor a crash report, which has a line such as "
    + "\"Incident Identifier: …\" or \"Process: Shop [4711]\" within its first 100"

  private func reports(
    in body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ load: RequestQuota
  ) throws -> [Report] {
    do {
      return try parser.withDocument(body, isPadded: isPadded) { root in
        var reader = ReportDocumentReader(context: context, load: load)
        try reader.read(root)
        return reader.reports
      }
    } catch let error as JSONError where error.kind == .tooLarge || (error.kind == .syntax && error.path.isEmpty) {
      // What is too large for one document may still be several.
      return try consecutiveReports(in: body, isPadded, context, load, orElse: error)
    }
  }

  /// Reads documents that stand one behind the other; a body that holds only one keeps its first error.
  private func consecutiveReports(
    in body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ load: RequestQuota,
    orElse error: JSONError
  ) throws -> [Report] {
    guard let first = JSONDocuments.next(in: body, from: 0), first.upperBound < body.count,
      JSONDocuments.next(in: body, from: first.upperBound) != nil
    else { throw error }
    var reader = ReportDocumentReader(context: context, load: load)
    var at = 0
    var index = 0
    // Of an `.ips` file, whose body comes next.
    var header: IPSHeader?
    while let range = JSONDocuments.next(in: body, from: at) {
      let isPadded = isPadded || range.upperBound + JSONParser.padding <= body.count
      let document = UnsafeRawBufferPointer(rebasing: body[range])
      try ReportDocumentReader.failures(inside: "[\(index)]") {
        try parser.withDocument(document, isPadded: isPadded, offset: range.lowerBound) { root in
          if let waiting = header {
            header = nil
            try reader.read(crash: root.object(), waiting)
          } else if let found = try reader.crashHeader(root), range.upperBound < body.count {
            header = found
          } else {
            try reader.read(root)
          }
        }
      }
      at = range.upperBound
      index += 1
    }
    if header != nil { throw DecodingFailure(.value, path: "[\(index)]", IPSHeader.bodyIsMissing) }
    return reader.reports
  }
}

/// What a decoder must know beside the body.
public struct DecodingContext: Sendable {
  /// When the request arrived. Times ahead of it are brought back to it.
  public var received: Timestamp
  /// The clock of the app's zone.
  public var clock: LocalClock
  /// The app keeps the free text of exceptions, which may hold what users typed.
  public var keepsExceptionText: Bool

  public init(received: Timestamp, clock: LocalClock = .utc, keepsExceptionText: Bool = false) {
    self.received = received
    self.clock = clock
    self.keepsExceptionText = keepsExceptionText
  }
}

extension DecodingContext {
  /// An instant a document names. One that lies more than a day ahead comes from a wrong clock: it counts as now.
  func clamp(_ time: Timestamp) -> Timestamp {
    time.milliseconds > received.milliseconds + 86_400_000 ? received : time
  }

  /// A calendar day a document names. No place on Earth is more than 14 hours ahead of UTC.
  func clamp(_ day: CalendarDay) -> CalendarDay {
    day > received.day(utcOffsetSeconds: 14 * 3600) ? today : day
  }

  /// The app's day of the receipt.
  var today: CalendarDay { clock.day(of: received) }
}

/// What a body held.
public struct Decoded: Sendable, Equatable {
  public var reports: [Report]
  /// The id that a Sentry client gave its event or envelope, 32 hexadecimal digits; nil when it gave none.
  public var eventID: String?
  /// Parts that were left out while the rest was kept; nil when nothing was.
  public var rejection: PartialRejection?

  public init(reports: [Report], eventID: String? = nil, rejection: PartialRejection? = nil) {
    self.reports = reports
    self.eventID = eventID
    self.rejection = rejection
  }
}

/// Points or log records that could not be kept.
public struct PartialRejection: Sendable, Equatable {
  public var count: Int
  /// What was wrong with the first of them, for the client's developer.
  public var message: String

  public init(count: Int, message: String) {
    self.count = count
    self.message = CleanText.name(message, atMost: 2000)
  }
}
