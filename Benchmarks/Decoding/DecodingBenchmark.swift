import Core
import Foundation
import Ingest

/// Measures the cost of turning a payload into reports and that of simdjson alone, alternating in one run.
@main
struct DecodingBenchmark {
  private static let rounds = 21
  private static let repetitions = 2_000

  static func main() throws {
    guard let path = CommandLine.arguments.dropFirst().first else {
      print("usage: decoding-benchmark PAYLOAD.json")
      exit(64)
    }
    let body =
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) + [UInt8](repeating: 0, count: JSONParser.padding)
    let size = body.count - JSONParser.padding
    var (parses, decodes): ([Double], [Double]) = ([], [])
    let (parser, decoder) = (JSONParser(), PayloadDecoder())
    let context = DecodingContext(received: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
    try body.withUnsafeBytes { buffer in
      let payload = UnsafeRawBufferPointer(rebasing: buffer[..<size])
      for _ in 0..<rounds {
        parses.append(try microseconds { try parser.withDocument(payload, isPadded: true) { _ in } })
        decodes.append(try microseconds { _ = try decoder.decode(payload, isPadded: true, context) })
      }
    }
    let (parse, decode) = (median(parses), median(decodes))
    let format = "%d bytes: simdjson %.2f us, into reports %.2f us, ratio %.2f\n"
    print(String(format: format, size, parse, decode, decode / parse), terminator: "")
  }

  private static func microseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<repetitions { try work() }
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1000 / Double(repetitions)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
