import Core
import Foundation
import HostileBodies
import Ingest
import Storage
import TestSupport

/// What the worst bodies cost that the limits let through: processor time of decoding, of making records and of digesting
/// them, and how far the process grew. Each runs in a process of its own, so that one's memory is not another's.
enum Costs {
  /// A body may cost so many times what a plain one of its size costs, or of four megabytes where it is smaller. Before there
  /// were limits it was hundreds of times.
  private static let mostTimes = 16.0
  /// How far the process may grow, in MiB (64 MB), the batch that waits for the store included.
  private static let mostMemory = 61

  /// Measures all bodies, each in a process of its own; false when one costs too much.
  static func measureAll() throws -> Bool {
    print("   size     decoding, records, digest in ms   peak in MiB of decoding, of all")
    var isCheap = true
    for number in HostileBody.all.indices {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["cost", String(number)]
      try child.run()
      child.waitUntilExit()
      isCheap = isCheap && child.terminationReason == .exit && child.terminationStatus == 0
    }
    return isCheap
  }

  /// Measures the body of this number; false when it costs too much or there is none.
  static func measure(_ number: Int) -> Bool {
    guard HostileBody.all.indices.contains(number) else { return false }
    let body = HostileBody.all[number]
    let bytes = body.bytes()
    let before = peak()
    let cost = cost(of: bytes, body.format)
    let (decoding, all) = ((cost.peak - before) / 1024, (peak() - before) / 1024)
    let size = max(bytes.count, 4 << 20)
    let plain = Array(repeated: plainPayload, count: size / plainPayload.count)
    let times = cost.seconds.reduce(0, +) / Self.cost(of: plain, .sniffed).seconds.reduce(0, +)
    let isAsExpected = body.isRead == cost.isRead && !cost.isDamaged
    let isCheap = times <= mostTimes && all <= mostMemory
    print(
      pad(String(bytes.count / 1024), 6), "KiB",
      cost.seconds.map { pad(String(Int(($0 * 1000).rounded())), 5) }.joined(),
      "ms", pad(String(decoding), 4), pad(String(all), 4), "MiB", pad(String(Int((times * 10).rounded())), 3), "/10",
      isAsExpected && isCheap ? "✔" : "✘", body.name, "–", cost.outcome.prefix(100))
    return isAsExpected && isCheap
  }

  private struct Cost {
    /// Of decoding, of making records, and of digesting them.
    var seconds = [0.0, 0, 0]
    var isRead = false
    var isDamaged = false
    var outcome = ""
    /// Behind the decoding, in KiB.
    var peak = 0
  }

  private static func cost(of body: [UInt8], _ format: PayloadFormat) -> Cost {
    let padded = body + [UInt8](repeating: 0, count: 64)
    let decoder = PayloadDecoder()
    let context = DecodingContext(received: Timestamp(milliseconds: 1_795_176_000_000))
    var cost = Cost()
    var start = processorTime()
    func lap(_ part: Int) {
      let now = processorTime()
      cost.seconds[part] = now - start
      start = now
    }
    let decoded = padded.withUnsafeBytes { buffer -> Result<Decoded, DecodingFailure> in
      do throws(DecodingFailure) {
        let payload = UnsafeRawBufferPointer(rebasing: buffer[..<body.count])
        return .success(try decoder.decode(payload, isPadded: true, as: format, context))
      } catch {
        return .failure(error)
      }
    }
    lap(0)
    cost.peak = peak()
    switch decoded {
    case .failure(let failure): cost.outcome = "refused: \(failure)"
    case .success(let decoded):
      cost.isRead = true
      cost.outcome = decoded.rejection.map { "\($0.count) left out: \($0.message)" } ?? "read"
      let written = records(decoded.reports)
      lap(1)
      var aggregator = RecordAggregator()
      aggregator.digest(JournalBatch(first: 1, count: decoded.reports.count, records: written))
      let batch = aggregator.take(node: NodeID("costs"))
      lap(2)
      cost.isDamaged = batch?.tallies.contains { $0.reason == "damaged record" } ?? false
    }
    return cost
  }

  /// What phones send day by day: launches, hangs and sums, in MetricKit's style.
  private static let plainPayload: [UInt8] = {
    let buckets = (0..<40).map {
      #""\#($0)":{"bucketCount":1,"bucketStart":"\#($0 * 10) ms","bucketEnd":"\#($0 * 10 + 9) ms"}"#
    }
    let histogram = #"{"histogramNumBuckets":40,"histogramValue":{\#(buckets.joined(separator: ","))}}"#
    let text =
      #"{"appVersion":"4.2.0","timeStampBegin":"2026-11-18 00:00:00","metaData":{"osVersion":"iPhone OS 18.6.2 (22G100)"},"#
      + #""applicationLaunchMetrics":{"histogrammedTimeToFirstDrawKey":\#(histogram),"histogrammedResumeTime":\#(histogram)},"#
      + #""cpuMetrics":{"cumulativeCPUTime":"100 sec"},"memoryMetrics":{"peakMemoryUsage":"200000 kB"}}"#
    return Array((text + "\n").utf8)
  }()

  private static func records(_ reports: [Report]) -> [UInt8] {
    let seal = Pseudonymizer(
      hash: { text, scope in (text + scope).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      })
    var records = ByteWriter()
    let header = RecordHeader(app: 1, received: Timestamp(milliseconds: 1_795_176_000_000))
    for report in reports { records.blob(RecordWriter.encode(report, header, seal: seal)) }
    return records.bytes
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The most memory that was resident so far, in KiB.
  private static func peak() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}

extension [UInt8] {
  fileprivate init(repeated part: [UInt8], count: Int) {
    self = []
    reserveCapacity(part.count * count)
    for _ in 0..<count { self += part }
  }
}
