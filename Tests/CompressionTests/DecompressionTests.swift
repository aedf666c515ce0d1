import Foundation
import Testing
import TestSupport

@testable import Core

@Suite("Decompression")
struct DecompressionTests {
  @Test("decompression restores what other tools compressed", arguments: Packed.texts)
  func golden(packed: Packed) throws {
    let output = try unpack(packed.data, packed.coding)
    #expect(output.count == 1516)
    #expect(String(decoding: output.bytes, as: UTF8.self) == PackedText.plain)
  }

  @Test("decompression accepts output of exactly the limit, and refuses one byte more", arguments: Packed.texts)
  func limit(packed: Packed) throws {
    #expect(try unpack(packed.data, packed.coding, limit: 1516).count == 1516)
    for limit in [1515, 1000, 1, 0, -1] {
      #expect(failure(packed.data, packed.coding, limit: limit) == .tooLarge, "\(limit)")
    }
    #expect(try unpack(packed.data, packed.coding, limit: .max).count == 1516)
  }

  @Test("decompression writes zeros after the output", arguments: Packed.texts)
  func padding(packed: Packed) throws {
    let output = try unpack(packed.data, packed.coding, limit: 1516, padding: 64)
    #expect(output.count == 1516 && output.bytes.count == 1516 + 64)
    #expect(output.bytes.suffix(64).allSatisfy { $0 == 0 })
    #expect(output.withOutput { String(decoding: $0, as: UTF8.self) } == PackedText.plain)
  }

  @Test("decompression reports truncated data, wherever it ends", arguments: Packed.texts)
  func truncated(packed: Packed) {
    for count in 0..<packed.data.count {
      #expect(failure(packed.data.prefix(count), packed.coding) == .truncated, "after \(count) bytes")
    }
  }

  @Test("decompression refuses data after the end", arguments: Packed.texts)
  func trailing(packed: Packed) {
    for tail in [[0], [7], [0, 0, 0, 0], Array("{}".utf8), [UInt8](repeating: 255, count: 100)] {
      #expect(failure(packed.data + tail, packed.coding) == .damaged, "\(tail)")
    }
  }

  @Test(
    "decompression reads consecutive gzip members and zstd frames, and no other consecutive streams",
    arguments: Packed.texts)
  func concatenated(packed: Packed) throws {
    let three = packed.data + packed.data + packed.data
    switch packed.coding {
    case .gzip, .zstd:
      let output = try unpack(three, packed.coding)
      #expect(String(decoding: output.bytes, as: UTF8.self) == PackedText.plain + PackedText.plain + PackedText.plain)
      #expect(failure(three.dropLast(), packed.coding) == .truncated)
      #expect(failure(three, packed.coding, limit: 3 * 1516 - 1) == .tooLarge)
    case .deflate, .brotli: #expect(failure(three, packed.coding) == .damaged)
    }
  }

  @Test("decompression skips zstd's skippable frames")
  func skippable() throws {
    let skipped = Data([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
    #expect(try unpack(skipped + PackedText.zstd + skipped, .zstd).count == 1516)
    #expect(try unpack(skipped, .zstd).count == 0)
  }

  @Test("decompression detects a flipped bit if the coding has a checksum", arguments: [ContentCoding.gzip, .zstd])
  func flipped(coding: ContentCoding) {
    let data = coding == .gzip ? PackedText.gzip : PackedText.zstd
    for index in (data.count - 12)..<data.count {
      var other = data
      other[index] ^= 1
      #expect(failure(other, coding) != nil, "\(index)")
    }
  }

  @Test("decompression survives random bytes, with and without a valid beginning", arguments: Packed.texts)
  func garbage(packed: Packed) {
    var generator = SeededRandom(seed: 11)
    func byte() -> UInt8 { UInt8(truncatingIfNeeded: generator.next()) }
    var refused = 0
    for round in 0..<2000 {
      let random = (0..<(1 + Int(byte()) % 200)).map { _ in byte() }
      let cut = round % packed.data.count
      for data in [Data(random), packed.data.prefix(cut) + random] {
        if failure(data, packed.coding, limit: 100_000) == nil {
          #expect((try? unpack(data, packed.coding, limit: 100_000))?.count ?? .max <= 100_000, "round \(round)")
        } else {
          refused += 1
        }
      }
    }
    // Of random bytes hardly any are a stream that ends where they do.
    #expect(refused > 3900, "\(refused) of 4000")
  }

  @Test("decompression explains errors in words")
  func words() {
    #expect(throws: CompressionError(.tooLarge, "The gzip data decompresses to more than 10 bytes.")) {
      try unpack(PackedText.gzip, .gzip, limit: 10)
    }
    #expect(throws: CompressionError(.truncated, "The zstd data ends too early, after 9 bytes.")) {
      try unpack(PackedText.zstd.prefix(9), .zstd)
    }
  }
}
