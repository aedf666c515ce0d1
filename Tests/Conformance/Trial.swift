import Core
import Dispatch
import Ingest
import PayloadRoad
import Storage

/// What became of the inputs made from one file.
struct Verdict: Sendable {
  var prefixes = 0
  var mutations = 0
  var read = 0
  var refused = 0
  /// In nanoseconds.
  var slowest: UInt64 = 0
  var problems: [String] = []

  mutating func merge(_ other: Verdict) {
    prefixes += other.prefixes
    mutations += other.mutations
    read += other.read
    refused += other.refused
    slowest = max(slowest, other.slowest)
    problems += other.problems
  }
}

/// One file, every prefix of it, and mutations of it.
final class Trial {
  private let sample: Sample
  private let decoder = PayloadDecoder()
  private var verdict = Verdict()

  /// 2026-11-20T12:00:00Z
  private static let received = Timestamp(milliseconds: 1_795_176_000_000)
  /// No input of these sizes may take longer, on a machine under load.
  private static let patience: UInt64 = 3_000_000_000

  init(_ sample: Sample) { self.sample = sample }

  func run(mutations: Int, seed: UInt64) -> Verdict {
    let wasRead = offer(sample.bytes, "whole")
    if wasRead == sample.isGarbage {
      verdict.problems.append("\(sample.name): \(wasRead ? "read, and should be refused" : "refused")")
    }
    for length in sample.bytes.indices {
      offer(Array(sample.bytes[..<length]), "prefix of \(length)")
      verdict.prefixes += 1
    }
    var mutation = Mutation(seed: seed)
    for number in 0..<mutations {
      offer(mutation.mutate(sample.bytes), "mutation \(number) of seed \(seed)")
      verdict.mutations += 1
    }
    return verdict
  }

  /// True when the input was read.
  @discardableResult
  private func offer(_ bytes: [UInt8], _ what: @autoclosure () -> String) -> Bool {
    let start = DispatchTime.now().uptimeNanoseconds
    defer {
      let taken = DispatchTime.now().uptimeNanoseconds - start
      verdict.slowest = max(verdict.slowest, taken)
      if taken > Self.patience { verdict.problems.append("\(sample.name), \(what()): took \(taken / 1_000_000) ms") }
    }
    switch decode(bytes) {
    case .success(let decoded):
      digest(decoded.reports, what())
      verdict.read += 1
      return true
    case .failure(let failure):
      if failure.detail.isEmpty { verdict.problems.append("\(sample.name), \(what()): refused without a reason") }
      verdict.refused += 1
      return false
    }
  }

  private func decode(_ bytes: [UInt8]) -> Result<Decoded, DecodingFailure> {
    bytes.withUnsafeBytes { buffer in
      do throws(DecodingFailure) {
        return .success(
          try decoder.decode(buffer, as: sample.format, DecodingContext(received: Self.received)))
      } catch {
        return .failure(error)
      }
    }
  }

  private func digest(_ reports: [Report], _ what: @autoclosure () -> String) {
    let seal = Pseudonymizer(hash: { text, _ in UInt64(text.utf8.count) })
    var records = ByteWriter()
    for report in reports {
      records.blob(RecordWriter.encode(report, RecordHeader(app: 1, received: Self.received), seal: seal))
    }
    guard !reports.isEmpty else { return }
    var aggregator = RecordAggregator()
    aggregator.digest(JournalBatch(first: 1, count: reports.count, records: records.bytes))
    let batch = aggregator.take(node: NodeID("conformance"))
    let isDamaged = batch?.tallies.contains { $0.reason == "damaged record" } ?? true
    if isDamaged { verdict.problems.append("\(sample.name), \(what()): its record cannot be read") }
  }
}
