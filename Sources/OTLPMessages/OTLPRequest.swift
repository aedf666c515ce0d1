import SwiftProtobuf

// This target is the only one that knows swift-protobuf: others see plain values and the two functions here.

extension OTLPExportMetricsServiceRequest {
  /// Reads a request as OTLP writes it in protobuf or, by the OTLP JSON mapping, in JSON. What is not listed in
  /// otlp.proto is skipped. No bytes are an empty request in protobuf, and no request in JSON.
  public static func read(_ bytes: [UInt8], isJSON: Bool) throws(OTLPSyntaxError) -> Self {
    try message(bytes, isJSON: isJSON)
  }
}

extension OTLPExportLogsServiceRequest {
  /// Reads a request, as `OTLPExportMetricsServiceRequest.read` does.
  public static func read(_ bytes: [UInt8], isJSON: Bool) throws(OTLPSyntaxError) -> Self {
    try message(bytes, isJSON: isJSON)
  }
}

/// The bytes are no such message.
public struct OTLPSyntaxError: Error, Equatable, CustomStringConvertible {
  /// What was found instead, in swift-protobuf's words.
  public let description: String
}

/// Values inside values that a message may hold; deeper ones are refused, so that no nesting overflows the stack.
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
