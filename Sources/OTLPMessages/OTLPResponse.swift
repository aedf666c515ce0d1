import SwiftProtobuf

/// The bodies of answers to OTLP/HTTP requests, in protobuf or JSON.
///
/// Source: opentelemetry.io/docs/specs/otlp/#otlphttp-response
public enum OTLPResponse {
  /// What a request was about.
  public enum Signal: Sendable {
    case metrics
    case logs
  }

  /// All was kept: an empty message.
  public static func success(isJSON: Bool) -> [UInt8] { isJSON ? Array("{}".utf8) : [] }

  /// `rejected` points or records were left out; `message` is the reason.
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
    }
  }

  /// A google.rpc.Status: `code` is one of gRPC's, 3 for an invalid argument.
  public static func status(code: Int, message: String, isJSON: Bool) -> [UInt8] {
    let status = OTLPStatus.with {
      $0.code = Int32(truncatingIfNeeded: code)
      $0.message = message
    }
    return bytes(status, isJSON)
  }

  /// None of these messages can fail to be written; if one did, the client would see an empty one.
  private static func bytes(_ message: some Message, _ isJSON: Bool) -> [UInt8] {
    (try? isJSON ? message.jsonUTF8Bytes() : message.serializedBytes()) ?? success(isJSON: isJSON)
  }
}
