public import Core

/// Decodes a request body into reports.
///
/// Sentry and OTLP have their own URLs. In any other body, keys distinguish MetricKit documents, Apple crash reports
/// and native JSON; the Content-Type is ignored. Such a body may have one document, an array, or several documents in
/// sequence (newline-delimited or concatenated). It is accepted or refused as a whole.
///
/// The decoder keeps its parser's memory, the names of signposts, symbols and what OTLP's metrics mean for the next
/// document. Use one decoder per thread.
public final class PayloadDecoder {
  let parser = JSONParser()
  private let names = SignpostNames()
  private let storages = OTLPMetricStorages()
  let symbols = RecentSymbols()

  /// Creates a decoder. Its first document allocates memory.
  public init() {}

  /// Decodes a body. `isPadded` states that 64 bytes after it are readable, which saves a copy. `layout`: the layout of
  /// a Sentry envelope, if already known.
  public func decode(
    _ body: UnsafeRawBufferPointer, isPadded: Bool = false, as format: PayloadFormat = .sniffed,
    layout: EnvelopeLayout? = nil, _ context: DecodingContext
  ) throws(DecodingFailure) -> Decoded {
    let quota = DecodingQuota()
    do {
      switch format {
      case .sniffed:
        if let reports = try crashTexts(body, context, quota) { return Decoded(reports: reports) }
        do {
          return Decoded(reports: try reports(in: body, isPadded, context, quota))
        } catch let error as JSONError where error.kind == .syntax && Self.isText(body) {
          throw DecodingFailure(.syntax, Self.noReport)
        } catch let failure as DecodingFailure where failure.reason == .syntax && Self.isText(body) {
          throw DecodingFailure(.syntax, Self.noReport)
        }

      case .sentryEnvelope: return try sentryEnvelope(body, isPadded, layout, context, quota)
      case .sentryStore: return try sentryStore(body, isPadded, context, quota)

      case .otlpMetrics(let encoding): return try encoding.metrics(in: body, context, parser, quota, storages)
      case .otlpLogs(let encoding): return try encoding.logs(in: body, context, parser, quota)
      case .otlpTraces(let encoding): return try encoding.traces(in: body, context, parser, quota)
      }
    } catch let failure as DecodingFailure {
      throw failure
    } catch let error as JSONError {
      throw DecodingFailure(error)
    } catch {
      throw DecodingFailure(.syntax, "the body could not be read: \(error)")
    }
  }

  /// Whether a body is text that does not begin like JSON, probably a file sent by mistake.
  private static func isText(_ body: UnsafeRawBufferPointer) -> Bool {
    !CrashTextLines.isJSON(body) && body.count > 0
      && body.prefix(512).allSatisfy { $0 >= 0x20 || (9...13).contains($0) }
  }

  private static let noReport =
    "this is text, but neither JSON, which begins with { or [, nor a crash report, which has a line such as "
    + "\"Incident Identifier: …\" or \"Process: Shop [4711]\" within its first 100"

  private func reports(
    in body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws -> [Report] {
    do {
      return try parser.withDocument(body, isPadded: isPadded) { root in
        var reader = ReportDocumentReader(context: context, quota: quota, names: names)
        try reader.read(root)
        return reader.reports
      }
    } catch let error as JSONError where error.kind == .tooLarge || (error.kind == .syntax && error.path.isEmpty) {
      // A body that is too large for one document may have several.
      return try consecutiveReports(in: body, isPadded, context, quota, orElse: error)
    }
  }

  /// Reads documents in sequence. Throws the first error if the body has only one.
  private func consecutiveReports(
    in body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ quota: DecodingQuota,
    orElse error: JSONError
  ) throws -> [Report] {
    guard let first = JSONDocuments.next(in: body, from: 0), first.upperBound < body.count,
      JSONDocuments.next(in: body, from: first.upperBound) != nil
    else { throw error }
    var reader = ReportDocumentReader(context: context, quota: quota, names: names)
    var at = 0
    var index = 0
    // The header of an `.ips` file whose body is the next document.
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

/// The result of decoding a body.
public struct Decoded: Sendable, Equatable {
  public var reports: [Report]
  /// The id of a Sentry event or envelope, 32 hexadecimal digits; nil if not sent.
  var eventID: String?
  /// The parts that were left out; nil if everything was stored.
  public var rejection: PartialRejection?
  /// Parts of kinds that are never stored, such as a Sentry attachment, by kind. There are few kinds. The message is an
  /// example of what a collective name counts, or empty.
  var skipped: [String: PartialRejection] = [:]
  /// A text that is equal if a client sends the same measurements again. Nil if the content has ids, or if repetitions
  /// cannot be recognised.
  var retryKey: String?
}

/// A number of parts, such as points or log records, that were not stored.
public struct PartialRejection: Sendable, Equatable {
  public var count: Int
  /// The problem with the first part that was left out, for the client's developer.
  public var message: String

  init(count: Int, message: String) {
    self.count = count
    self.message = SanitizedText.name(message, atMost: 2000)
  }
}
