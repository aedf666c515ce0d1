import Bytes
import Compression
import Decoding
import Digest
import Glibc
import HostileBodies
import Record
import Storage
import Telemetry

/// What the worst bodies cost that the limits let through: processor time of decoding, of making records and of digesting
/// them, and how far the process grew. Each runs in a process of its own, so that one's memory is not another's.
enum Costs {
  /// The body of this number; false when there is none.
  static func measure(_ number: Int) -> Bool {
    guard HostileBody.all.indices.contains(number) else { return false }
    let body = HostileBody.all[number]
    var bytes = body.bytes()
    let size = bytes.count
    bytes += [UInt8](repeating: 0, count: 64)
    let decoder = PayloadDecoder()
    let context = DecodingContext(received: Timestamp(milliseconds: 1_795_176_000_000))
    let before = peak()
    let start = processorTime()
    let decoded = bytes.withUnsafeBytes { buffer -> Result<Decoded, DecodingFailure> in
      do throws(DecodingFailure) {
        let payload = UnsafeRawBufferPointer(rebasing: buffer[..<size])
        return .success(try decoder.decode(payload, isPadded: true, as: body.format, context))
      } catch {
        return .failure(error)
      }
    }
    let afterDecoding = processorTime()
    let grown = peak() - before
    var told = ""
    var (records, digested) = (0.0, 0.0)
    switch decoded {
    case .failure(let failure): told = "refused: \(failure)"
    case .success(let decoded):
      told = decoded.rejection.map { "\($0.count) left out: \($0.message)" } ?? "read"
      let written = Self.records(decoded.reports)
      records = processorTime() - afterDecoding
      var digester = Digester()
      digester.digest(JournalBatch(first: 1, count: decoded.reports.count, records: written))
      let batch = digester.take(node: NodeID("costs"))
      digested = processorTime() - afterDecoding - records
      if batch?.tallies.contains(where: { $0.reason == "damaged record" }) == true { told += "; DAMAGED" }
    }
    func milliseconds(_ seconds: Double) -> String { pad(String(Int((seconds * 1000).rounded())), 5) }
    print(
      pad(String(size / 1024), 6), "KiB", milliseconds(afterDecoding - start), milliseconds(records),
      milliseconds(digested), "ms", pad(String(grown / 1024), 4), pad(String((peak() - before) / 1024), 4), "MiB ",
      body.isRead == ((try? decoded.get()) != nil) ? body.name : "✘ \(body.name)", "–", told.prefix(100))
    return true
  }

  private static func records(_ reports: [Report]) -> [UInt8] {
    let seal = RecordSeal(
      hash: { text, scope in (text + scope).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      },
      compress: { Compression.compress(zstd: $0) })
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
