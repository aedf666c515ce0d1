internal import JSON
internal import OTLPMessages

extension OTLPEncoding {
  /// What a metrics request holds.
  func metrics(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser
  ) throws -> Decoded {
    var reader = OTLPMetricsReader(context: context)
    reader.read(try request(body, parser) { try .read($0, isJSON: self == .json) })
    return reader.collection.decoded
  }

  /// What a logs request holds.
  func logs(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser
  ) throws -> Decoded {
    var reader = OTLPLogsReader(context: context, parser: parser)
    reader.read(try request(body, parser) { try .read($0, isJSON: self == .json) })
    return reader.collection.decoded
  }

  private func request<Request>(
    _ body: UnsafeRawBufferPointer, _ parser: JSONParser, _ read: ([UInt8]) throws -> Request
  ) throws -> Request {
    do {
      return try read(Array(body))
    } catch let error as OTLPSyntaxError {
      guard self == .json else {
        throw DecodingFailure(.syntax, "the body is no OTLP export request in protobuf: \(error.description)")
      }
      // Where JSON ends to be JSON, our own parser knows the byte.
      try parser.withDocument(body) { _ in }
      throw DecodingFailure(
        .type,
        "the body is JSON, but no OTLP export request: its members are those of OTLP's JSON mapping, 64-bit numbers as "
          + "strings or numbers")
    }
  }
}
