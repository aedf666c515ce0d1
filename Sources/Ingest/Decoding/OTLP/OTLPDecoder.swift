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
