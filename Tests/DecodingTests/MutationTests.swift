import Testing
import TestSupport

@testable import Core
@testable import Ingest

private let tokens = [
  "null", "true", "[]", "{}", "\"\"", "-1", "1e308", "-9223372036854775808", "18446744073709551615",
  "99999999999999999999999", "0.0001", "\"x\"", "\"9,9,9 ms\"", "\"٣ ms\"", "[[]]", "{\"a\":1}", "\"\\ud83d\\ude00\"",
].map { Array($0.utf8) }

/// The byte ranges of the values in a valid document: whatever stands behind a colon, bracket or comma.
private func valueStarts(_ bytes: [UInt8]) -> [Int] {
  bytes.indices.dropFirst().filter { bytes[$0 - 1] == UInt8(ascii: " ") && !", :]}\n".utf8.contains(bytes[$0]) }
}

private func mutate(_ original: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
  var bytes = original
  switch Int.random(in: 0..<5, using: &random) {
  case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
  case 1:
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
  case 2:
    let start = Int.random(in: 0..<bytes.count, using: &random)
    bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...40, using: &random)))
  default:
    // Another type in place of a value: from its first byte to the next comma or bracket.
    guard let start = valueStarts(bytes).randomElement(using: &random) else { break }
    let end = bytes[start...].firstIndex { ",}]\n".utf8.contains($0) } ?? bytes.count
    bytes.replaceSubrange(start..<end, with: tokens.randomElement(using: &random) ?? [])
  }
  return bytes
}

@Test("a document with any mutation is read or refused with a reason", arguments: 0..<4)
func mutations(seed: Int) {
  var random = SeededRandom(seed: UInt64(seed))
  let decoder = PayloadDecoder()
  let originals = [
    completePayload, sparsePayload, nativeDocument, "\(nativeDocument)\n\(sparsePayload)", diagnosticPayload,
    crashElement, hangElement, diagnosticReport, metricReport,
    #"{"kind": "crash", "app": {"version": "1"}, "payload": \#(crashElement)}"#,
  ].map { Array($0.utf8) }
  var refused = 0
  var accepted = 0
  for _ in 0..<600 {
    var bytes = originals.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...2, using: &random) where !bytes.isEmpty { bytes = mutate(bytes, &random) }
    do throws(DecodingFailure) {
      let reports = try decode(bytes, with: decoder)
      accepted += 1
      #expect(reports.allSatisfy { $0.isSound })
    } catch {
      refused += 1
      #expect(!error.detail.isEmpty)
      #expect(error.reason != .type || !error.path.isEmpty || error.detail.hasPrefix("expected an object"))
    }
  }
  #expect(refused > 100 && accepted > 20)
}

extension CallTree {
  /// What later readers rely on.
  fileprivate var isSound: Bool {
    frames.indices.allSatisfy { (-1..<$0).contains(frames[$0].caller) || frames[$0].caller == -1 }
      && frames.allSatisfy { $0.binary >= -1 && $0.binary < binaries.count && $0.samples >= 0 }
      && threads.allSatisfy { $0.range.lowerBound >= 0 && $0.range.upperBound <= frames.count }
  }
}

extension Report {
  /// What later arithmetic relies on.
  fileprivate var isSound: Bool {
    diagnostics.allSatisfy(\.calls.isSound)
      && measurements.allSatisfy { reading in
        switch reading.value {
        case .samples(let samples): samples.allSatisfy { $0 >= 0 && $0.isFinite }
        case .counter(let value): value >= 0 && value.isFinite
        case .spans(let spans): spans.allSatisfy { $0.low >= 0 && $0.low <= $0.high && $0.low.isFinite && $0.count > 0 }
        case .exponential(let histogram): histogram.zeros >= 0 && histogram.buckets.allSatisfy { $0.count > 0 }
        }
      }
  }
}
