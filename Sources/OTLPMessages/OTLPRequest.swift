import SwiftProtobuf

// Only this target imports swift-protobuf. Others use the generated messages and the two functions here.

extension OTLPExportMetricsServiceRequest {
  /// Parses a request in protobuf or in OTLP's JSON mapping. Fields not listed in otlp.proto are skipped. No bytes are
  /// an empty request in protobuf, and an error in JSON.
  public static func read(_ bytes: [UInt8], isJSON: Bool) throws(OTLPSyntaxError) -> Self {
    try message(bytes, isJSON: isJSON)
  }
}

extension OTLPExportLogsServiceRequest {
  /// Parses a request, as `OTLPExportMetricsServiceRequest.read` does.
  public static func read(_ bytes: [UInt8], isJSON: Bool) throws(OTLPSyntaxError) -> Self {
    try message(bytes, isJSON: isJSON)
  }
}

extension OTLPExportTraceServiceRequest {
  /// Parses a request, as `OTLPExportMetricsServiceRequest.read` does.
  public static func read(_ bytes: [UInt8], isJSON: Bool) throws(OTLPSyntaxError) -> Self {
    try message(bytes, isJSON: isJSON)
  }
}

/// The error for bytes that are not a request.
public struct OTLPSyntaxError: Error, Equatable, CustomStringConvertible {
  /// The problem, in swift-protobuf's words.
  public let description: String
}

/// The deepest nesting of messages; deeper ones are refused, so that the stack cannot overflow.
private let depthLimit = 64

private func message<Request: Message>(_ bytes: [UInt8], isJSON: Bool) throws(OTLPSyntaxError) -> Request {
  do {
    if isJSON {
      var options = JSONDecodingOptions()
      options.messageDepthLimit = depthLimit
      options.ignoreUnknownFields = true
      return try Request(jsonUTF8Bytes: bytes, options: options)
    }
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthLimit
    options.discardUnknownFields = true
    return try Request(serializedBytes: bytes, options: options)
  } catch let error as BinaryDecodingError {
    throw OTLPSyntaxError(description: words(for: error))
  } catch {
    throw OTLPSyntaxError(description: "\(error)")
  }
}

private func words(for error: BinaryDecodingError) -> String {
  switch error {
  case .truncated: "the message ends before its last field does"
  case .invalidUTF8: "a text is not UTF-8"
  case .messageDepthLimit: "values are nested deeper than \(depthLimit) levels"
  case .malformedProtobuf: "a field has a number or wire type that cannot be"
  default: "\(error)"
  }
}
