import Testing
import TestSupport

@testable import Core
@testable import Statistics

@Suite("Sums of encoded histograms")
struct EncodedMergeTests {
  static let histograms =
    EncodingTests.histograms + [
      Histogram((0..<1_900).map(spread)), Histogram((0..<1_900).map { 1 / spread($0) }),
      .mixed(seed: 31, spans: 700, widths: [3]), .mixed(seed: 32, spans: 700, widths: [5]),
    ]

  /// Values of which nearly each has a bin of its own.
  private static func spread(_ number: Int) -> Double { Double(1 << (number / 64)) * (1 + Double(number % 64) / 64) }

  /// The encoded sum of `stored` and `other`; nil where they have to be decoded.
  private static func sum(_ stored: [UInt8], _ other: Histogram) throws(DamagedBytes) -> [UInt8]? {
    var writer = ByteWriter()
    let result: Result<Bool, DamagedBytes> = stored.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      do throws(DamagedBytes) { return .success(try other.encode(mergedWith: &reader, into: &writer)) } catch {
        return .failure(error)
      }
    }
    return try result.get() ? writer.bytes : nil
  }

  /// Whether the parts of two histograms can stand beside each other as they are.
  private static func fit(_ left: Histogram, _ right: Histogram) -> Bool {
    let bins = Set(left.bins.entries.map(\.index)).union(right.bins.entries.map(\.index))
    let spans = Set((left.spans.entries + right.spans.entries).map { [$0.low, $0.high] })
    return left.scheme == right.scheme && left.spans.coarseness == right.spans.coarseness && bins.count <= 2_048
      && spans.count <= 1_024
  }

  @Test("an encoded sum has the merged histogram's bytes if no parts are joined", arguments: histograms.indices)
  func sameBytes(index: Int) throws {
    let stored = Self.histograms[index]
    for other in Self.histograms {
      var merged = stored
      merged.merge(other)
      let sum = try Self.sum(stored.bytes, other)
      #expect((sum != nil) == Self.fit(stored, other))
      if let sum { #expect(sum == merged.bytes) }
    }
  }

  @Test("the test histograms have pairs that are added encoded and pairs that are not")
  func bothWays() {
    let pairs = Self.histograms.flatMap { left in Self.histograms.map { (left, $0) } }
    #expect(pairs.contains { Self.fit($0, $1) })
    #expect(pairs.contains { $0.scheme == $1.scheme && !Self.fit($0, $1) })
  }

  @Test("undecodable histograms are not added to, and others give the same sum")
  func damaged() throws {
    var random = SeededRandom(seed: 91)
    let other = Histogram.mixed(seed: 3)
    for stored in Self.histograms.prefix(14) {
      for turn in 0..<80 {
        var bytes = stored.bytes
        if turn % 4 == 0 {
          bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))
        } else {
          bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
        }
        let decoded = bytes.withUnsafeBytes { buffer in
          var reader = ByteReader(buffer)
          return try? Histogram(from: &reader)
        }
        let sum = try? Self.sum(bytes, other)
        if var merged = decoded {
          merged.merge(other)
          #expect(sum == nil || sum == merged.bytes)
        } else {
          #expect(sum == nil)
        }
      }
    }
  }
}

@Suite("Encoded bytes")
struct ByteTests {
  /// Seven bits a byte, the lowest first, as LEB128 is defined.
  private static func varint(_ value: UInt128) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
  }

  @Test("wide integers are zigzag varints of any length, and read back")
  func wide() throws {
    let edges = (0..<127).flatMap { shift -> [Int128] in
      let power = Int128(1) << Int128(shift)
      return [power - 1, power, power + 1, -power, -power - 1]
    }
    for value in edges + [.max, .min, 0] {
      var writer = ByteWriter()
      writer.wide(value)
      let zigzag = value >= 0 ? UInt128(value) * 2 : UInt128(-(value + 1)) * 2 + 1
      #expect(writer.bytes == Self.varint(zigzag))
      let read = try writer.bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try reader.wide()
      }
      #expect(read == value)
    }
  }

  @Test("a count replaces the bytes before what follows it", arguments: [0, 1, 2, 10])
  func insert(placeholder: Int) {
    for count in [0, 1, 127, 128, 16_383, 16_384, Int.max] {
      for offset in 0...60 - placeholder {
        var writer = ByteWriter()
        let text = (0..<60).map { UInt8($0) }
        for byte in text { writer.byte(byte) }
        writer.insert(count: count, at: offset, over: placeholder)
        let expected = Array(text[..<offset]) + Self.varint(UInt128(count)) + Array(text[(offset + placeholder)...])
        #expect(writer.bytes == expected)
      }
    }
  }
}
