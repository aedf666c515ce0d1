import Foundation
import Testing
import TestSupport

@testable import Core

@Suite("Compression round trips")
struct RoundTripTests {
  @Test("zstd restores what it compressed", arguments: [0, 1, 3, 1000, 131_072, 131_073, 3_000_000])
  func zstd(size: Int) throws {
    let text = bytes(size)
    let packed = text.withUnsafeBytes { Compression.compress(zstd: $0) }
    #expect(size < 1000 || packed.count < size)
    let back = try packed.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: size) }
    #expect(back == text)
  }

  @Test("zstd's output does not depend on earlier input")
  func reused() {
    @Sendable func packed(_ size: Int) -> [UInt8] { bytes(size).withUnsafeBytes { Compression.compress(zstd: $0) } }
    let sizes = [0, 20, 3_000, 30_000, 300_000]
    let first = sizes.map(packed)
    #expect(sizes.reversed().map(packed).reversed() == first)
    DispatchQueue.concurrentPerform(iterations: 64) { #expect(packed(sizes[$0 % 5]) == first[$0 % 5]) }
  }

  @Test("gzip restores what it compressed", arguments: [0, 1, 100, 1000, 131_072, 1_000_000])
  func gzip(size: Int) throws {
    let packed = bytes(size).withUnsafeBytes { Compression.compress(gzip: $0) }
    #expect(size < 1000 || packed.count < size)
    #expect(try unpack(packed, .gzip).bytes == bytes(size))
  }

  @Test("zstd's command reads what Plumb compressed", .enabled(if: Program.find("zstd") != nil))
  func readByZstd() throws {
    let packed = bytes(100_000).withUnsafeBytes { Compression.compress(zstd: $0) }
    #expect(try Program.output("zstd", ["-d", "-c"], input: packed) == bytes(100_000))
  }

  @Test(
    "Plumb reads what zstd's command compressed", .enabled(if: Program.find("zstd") != nil),
    arguments: [["-1"], ["-3"], ["-19"], ["--fast=5"], ["--no-check"]])
  func zstdCommand(flags: [String]) throws {
    let packed = try Program.output("zstd", flags + ["-c"], input: bytes(300_000))
    #expect(try unpack(packed, .zstd).bytes == bytes(300_000))
  }

  @Test(
    "Plumb reads the brotli tool's output", .enabled(if: Program.find("brotli") != nil), arguments: ["0", "5", "11"])
  func brotliCommand(quality: String) throws {
    let packed = try Program.output("brotli", ["-c", "-q", quality], input: bytes(300_000))
    #expect(try unpack(packed, .brotli).bytes == bytes(300_000))
  }

  @Test(
    "Plumb reads what Python's zlib compressed", .enabled(if: Program.find("python3") != nil),
    arguments: [(31, ContentCoding.gzip), (15, .deflate), (9, .deflate), (-15, .deflate), (-9, .deflate)], [0, 1, 6, 9])
  func python(kind: (bits: Int, coding: ContentCoding), level: Int) throws {
    let program = """
      import sys, zlib
      packer = zlib.compressobj(\(level), 8, \(kind.bits))
      sys.stdout.buffer.write(packer.compress(sys.stdin.buffer.read()) + packer.flush())
      """
    for size in [0, 1, 100, 300_000] {
      let packed = try Program.output("python3", ["-c", program], input: bytes(size))
      #expect(try unpack(packed, kind.coding).bytes == bytes(size), "\(size) bytes")
    }
  }

  /// Text that repeats itself somewhat.
  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 / 7) &* ($0 / 1000) % 61 &+ 32) }
  }
}
