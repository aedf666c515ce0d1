import Foundation
import Testing
import TestSupport

@testable import Core

@Suite("A decompression bomb", .serialized)
struct BombTests {
  @Test("a decompression bomb of a gibibyte stops at the limit with flat memory", arguments: Packed.bombs)
  func stops(packed: Packed) throws {
    let before = try peakMemory()
    for limit in [0, 1000, 16 << 20] { #expect(failure(packed.data, packed.coding, limit: limit) == .tooLarge) }
    // Other suites of the process run beside it.
    #expect(try peakMemory() - before < 200 << 20)
  }

  @Test(
    "a decompression bomb of these tests is a gibibyte of zeros",
    .enabled(if: ProcessInfo.processInfo.environment["BOMBS"] != nil))
  func whole() throws {
    for bomb in [Packed.bombs[3], Packed.bombs[4]] {
      #expect(try unpack(bomb.data, bomb.coding, limit: 1 << 30).count == 1 << 30)
    }
  }

  @Test("a decompression bomb that claims exabytes gets no memory for them")
  func announced() throws {
    let zstd = Data([0x28, 0xB5, 0x2F, 0xFD, 0xC0, 0x50]) + Data(repeating: 0x7F, count: 8) + Data([9, 0, 0, 65])
    #expect(failure(zstd, .zstd, limit: 1 << 40) == .damaged)
    let gzip = PackedText.gzip.dropLast(4) + Data([255, 255, 255, 255])
    #expect(failure(gzip, .gzip, limit: 1 << 40) == .damaged)
  }

  @Test(
    "a zstd frame that needs a window of more than 8 MiB is refused",
    arguments: [(0x68, false), (0x70, true), (0xF8, true)])
  func window(descriptor: Int, isRefused: Bool) {
    // The window is 2^(10 + exponent); one repeated byte, 4 times, as the only block.
    let frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, UInt8(descriptor), 0x23, 0, 0, 65])
    #expect(failure(frame, .zstd) == (isRefused ? .tooLarge : nil))
  }

  @Test("a decompression bomb of many small gzip members or zstd frames costs no more than its bytes")
  func members() throws {
    func cost(_ part: Data, _ coding: ContentCoding, _ count: Int) throws -> Double {
      let data = [UInt8]((0..<count).reduce(into: Data()) { data, _ in data += part })
      return try processorTime {
        let unpacked = try unpack(data, coding)
        #expect(unpacked.count == 0)
      }
    }
    let empty = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(try cost(empty, .gzip, 200_000) < 24 * cost(empty, .gzip, 25_000))
    let frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x68, 1, 0, 0])
    #expect(try cost(frame, .zstd, 400_000) < 24 * cost(frame, .zstd, 50_000))
  }

  /// The most memory that this process ever held, in bytes.
  private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) << 10
  }
}
