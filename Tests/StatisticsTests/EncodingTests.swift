import Testing
import TestSupport

@testable import Core
@testable import Statistics

@Suite("Encoding of histograms")
struct EncodingTests {
  private func decode<Value>(
    _ bytes: [UInt8], _ read: (inout ByteReader) throws(DamagedBytes) -> Value
  ) throws(DamagedBytes) -> Value {
    let result: Result<Value, DamagedBytes> = bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      do throws(DamagedBytes) { return .success(try read(&reader)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  static let histograms: [Histogram] =
    (0..<12).map { .mixed(seed: $0) } + [
      Histogram(scheme: .logarithmic), Histogram(scheme: .integer), .mixed(seed: 20, spans: 4_000, widths: [0.37, 11]),
      Histogram([0, 1, 2, 500, 1e9], scheme: .integer), Histogram(Shape.logNormal.samples(500, seed: 1)),
      Histogram([1e-300, 0.1, 1e300]),
    ]

  @Test("the sums behind the correlation need no bins, and add up like histograms", arguments: histograms.indices)
  func likeness(index: Int) throws {
    let histogram = Self.histograms[index]
    let read = try decode(histogram.bytes) { reader throws(DamagedBytes) in
      try IntraclassCorrelationSums(ofHistogram: &reader)
    }
    #expect(read == IntraclassCorrelationSums(histogram))
    if histogram.scheme == Self.histograms[0].scheme, !histogram.isCoarse {
      var (sum, merged) = (read, histogram)
      sum.merge(IntraclassCorrelationSums(Self.histograms[0]))
      merged.merge(Self.histograms[0])
      #expect(sum == IntraclassCorrelationSums(merged))
    }
    for end in 0..<histogram.bytes.count {
      #expect(throws: DamagedBytes.self) {
        try decode(Array(histogram.bytes[..<end])) { reader throws(DamagedBytes) in
          try IntraclassCorrelationSums(ofHistogram: &reader)
        }
      }
    }
  }

  @Test("a histogram reads back as it was written", arguments: histograms.indices)
  func histogram(index: Int) throws {
    let histogram = Self.histograms[index]
    #expect(try decode(histogram.bytes) { reader throws(DamagedBytes) in try Histogram(from: &reader) } == histogram)
  }

  @Test("a histogram of whole-number buckets takes at most four bytes per bucket")
  func size() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    for low in stride(from: 100.0, to: 2_100, by: 10) {
      histogram.insertSpan(low: low, high: low + 10, count: 100, stepsPerUnit: 1_000, into: &payload)
    }
    #expect(histogram.bytes.count <= 200 * 4)
  }

  @Test("every truncated encoding of a histogram throws")
  func truncated() {
    for histogram in Self.histograms.prefix(4) {
      let bytes = histogram.bytes
      for length in bytes.indices {
        #expect(throws: DamagedBytes.self) {
          try decode(Array(bytes[..<length])) { reader throws(DamagedBytes) in try Histogram(from: &reader) }
        }
      }
    }
  }

  @Test("a histogram with flipped bits throws or can be read")
  func flipped() {
    var random = SeededRandom(seed: 77)
    for histogram in Self.histograms {
      for _ in 0..<60 {
        var bytes = histogram.bytes
        for _ in 0..<1 + random.next() % 3 {
          bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
        }
        guard let damaged = try? decode(bytes, { reader throws(DamagedBytes) in try Histogram(from: &reader) }) else {
          continue
        }
        damaged.readEverything()
        var merged = histogram
        merged.merge(damaged)
        #expect(merged.count >= histogram.count)
      }
    }
  }

  @Test("encoded pair sums read back, including extremes")
  func pairs() throws {
    var sums = RatioMoments()
    for (x, y) in [(3, 700), (Int64.max, -5), (.min, .max)] { sums.add(x: Int64(x), y: Int64(y)) }
    var writer = ByteWriter()
    sums.encode(into: &writer)
    #expect(try decode(writer.bytes) { reader throws(DamagedBytes) in try RatioMoments(from: &reader) } == sums)
    for length in writer.bytes.indices {
      #expect(throws: DamagedBytes.self) {
        try decode(Array(writer.bytes[..<length])) { reader throws(DamagedBytes) in try RatioMoments(from: &reader) }
      }
    }
  }

  @Test(
    "user sets read back in every form, and damage causes no trap", arguments: [0, 1, 2_048, 2_049, 6_000, 100_000])
  func users(count: Int) throws {
    var random = SeededRandom(seed: UInt64(count))
    var set = UserSet()
    for _ in 0..<count { set.insert(random.next()) }
    var writer = ByteWriter()
    set.encode(into: &writer)
    let bytes = writer.bytes
    #expect(try decode(bytes) { reader throws(DamagedBytes) in try UserSet(from: &reader) } == set)
    #expect(bytes.count <= 16_400)
    for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 50)) {
      #expect(throws: DamagedBytes.self) {
        try decode(Array(bytes[..<length])) { reader throws(DamagedBytes) in try UserSet(from: &reader) }
      }
    }
    for _ in 0..<40 {
      var damaged = bytes
      damaged[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      // A changed set is refused, or another one that can be written and read again.
      guard let read = try? decode(damaged, { reader throws(DamagedBytes) in try UserSet(from: &reader) }) else {
        continue
      }
      #expect(read != set && read.estimate >= 0)
      var again = ByteWriter()
      read.encode(into: &again)
      #expect(try decode(again.bytes) { reader throws(DamagedBytes) in try UserSet(from: &reader) } == read)
    }
  }
}

extension Histogram {
  /// Whether spans lost their edges, so that their middles are others than those of the spans that were counted.
  fileprivate var isCoarse: Bool { spans.coarseness > 0 }
}
