internal import Core

extension OTLPEncoding {
  /// Decodes a metrics request.
  func metrics(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ parser: JSONParser, _ quota: DecodingQuota,
    _ storages: OTLPMetricStorages
  ) throws -> Decoded {
    var reader = OTLPMetricsReader(context: context, quota: quota, storages: storages)
    try read(body, parser, with: &reader)
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

  /// A whole request.
  func request<Request: OTLPMessage>(_ body: UnsafeRawBufferPointer, _ parser: JSONParser) throws -> Request {
    var reader = WholeRequest(request: Request())
    try read(body, parser, with: &reader)
    return reader.request
  }

  private struct WholeRequest<Request: OTLPMessage>: OTLPRequestReader {
    var request: Request

    mutating func read(_ input: inout some OTLPFieldReader) throws(OTLPFailure) {
      try input.read(input.request, into: &request)
    }
  }

  /// Reads a request with `reader`.
  func read(
    _ body: UnsafeRawBufferPointer, _ parser: JSONParser, with reader: inout some OTLPRequestReader
  ) throws {
    do {
      switch self {
      case .protobuf:
        var input = OTLPWireReader(body)
        try reader.read(&input)
      case .json:
        guard JSONParser.valueCount(of: body, over: OTLPLimits.jsonValues) <= OTLPLimits.jsonValues else {
          throw DecodingFailure(
            .value, "a request may have at most \(OTLPLimits.jsonValues) values and names; split it")
        }
        try parser.withDocument(body) { root in
          var input = OTLPJSONReader(root)
          try reader.read(&input)
        }
      }
    } catch let failure as OTLPFailure {
      throw DecodingFailure(failure, in: self)
    }
  }
}

/// Reads a request in either encoding.
protocol OTLPRequestReader {
  mutating func read(_ input: inout some OTLPFieldReader) throws(OTLPFailure)
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
