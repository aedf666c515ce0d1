import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Ingest
@testable import Web

@Suite("Answers to OTLP clients")
struct OTLPAnswerTests {
  private static let text = "2 were \"left out\"\n🚀 " + String(repeating: "x", count: 300)

  @Test("swift-protobuf reads a partial success", arguments: [1, 127, 128, 25_000, Int(Int32.max) + 1])
  func partialSuccess(rejected: Int) throws {
    func body(_ signal: OTLPSignal, _ encoding: OTLPEncoding) -> [UInt8] {
      OTLPAnswer.partialSuccess(signal, rejected: rejected, message: Self.text, encoding)
    }
    let metrics = PBExportMetricsServiceResponse.with {
      $0.partialSuccess.rejectedDataPoints = Int64(rejected)
      $0.partialSuccess.errorMessage = Self.text
    }
    #expect(try PBExportMetricsServiceResponse(serializedBytes: body(.metrics, .protobuf)) == metrics)
    #expect(try PBExportMetricsServiceResponse(jsonUTF8Bytes: body(.metrics, .json)) == metrics)
    let logs = PBExportLogsServiceResponse.with {
      $0.partialSuccess.rejectedLogRecords = Int64(rejected)
      $0.partialSuccess.errorMessage = Self.text
    }
    #expect(try PBExportLogsServiceResponse(serializedBytes: body(.logs, .protobuf)) == logs)
    #expect(try PBExportLogsServiceResponse(jsonUTF8Bytes: body(.logs, .json)) == logs)
    let traces = PBExportTraceServiceResponse.with {
      $0.partialSuccess.rejectedSpans = Int64(rejected)
      $0.partialSuccess.errorMessage = Self.text
    }
    #expect(try PBExportTraceServiceResponse(serializedBytes: body(.traces, .protobuf)) == traces)
    #expect(try PBExportTraceServiceResponse(jsonUTF8Bytes: body(.traces, .json)) == traces)
    #expect(try metrics.serializedBytes() == body(.metrics, .protobuf))
  }

  @Test("an OTLP success is an empty message, and an error a google.rpc.Status")
  func others() throws {
    #expect(try PBExportLogsServiceResponse(jsonUTF8Bytes: OTLPAnswer.success(.json)) == .init())
    #expect(OTLPAnswer.success(.protobuf).isEmpty)
    let status = PBStatus.with { ($0.code, $0.message) = (3, Self.text) }
    #expect(try PBStatus(serializedBytes: OTLPAnswer.status(code: 3, message: Self.text, .protobuf)) == status)
    #expect(try PBStatus(jsonUTF8Bytes: OTLPAnswer.status(code: 3, message: Self.text, .json)) == status)
  }
}
