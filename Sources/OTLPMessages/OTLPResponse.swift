import SwiftProtobuf

/// Encodes the response bodies of OTLP/HTTP, in protobuf or JSON.
///
/// Source: opentelemetry.io/docs/specs/otlp/#otlphttp-response
public enum OTLPResponse {
  /// The kind of data in the request.
  public enum Signal: Sendable {
    case metrics
    case logs
    case traces
  }

  /// The response when everything was stored: an empty message.
  public static func success(isJSON: Bool) -> [UInt8] { isJSON ? Array("{}".utf8) : [] }

  /// The response when `rejected` points, records or spans were left out, for the reason in `message`.
  public static func partialSuccess(_ signal: Signal, rejected: Int, message: String, isJSON: Bool) -> [UInt8] {
    switch signal {
    case .metrics:
      let answer = OTLPExportMetricsServiceResponse.with {
        $0.partialSuccess.rejectedDataPoints = Int64(rejected)
        $0.partialSuccess.errorMessage = message
      }
      return bytes(answer, isJSON)
    case .logs:
      let answer = OTLPExportLogsServiceResponse.with {
        $0.partialSuccess.rejectedLogRecords = Int64(rejected)
        $0.partialSuccess.errorMessage = message
      }
      return bytes(answer, isJSON)
    case .traces:
      let answer = OTLPExportTraceServiceResponse.with {
        $0.partialSuccess.rejectedSpans = Int64(rejected)
        $0.partialSuccess.errorMessage = message
      }
      return bytes(answer, isJSON)
    }
  }

  /// An error as a google.rpc.Status. `code` is one of gRPC's, such as 3 for an invalid argument.
  public static func status(code: Int, message: String, isJSON: Bool) -> [UInt8] {
    let status = OTLPStatus.with {
      $0.code = Int32(truncatingIfNeeded: code)
      $0.message = message
    }
    return bytes(status, isJSON)
  }

  /// Encodes a response. This cannot fail for these messages; if it did, the client would get an empty one.
  private static func bytes(_ message: some Message, _ isJSON: Bool) -> [UInt8] {
    (try? isJSON ? message.jsonUTF8Bytes() : message.serializedBytes()) ?? success(isJSON: isJSON)
  }
}
