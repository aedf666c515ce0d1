import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Free memory")
struct FreeMemoryTests {
  /// In a process of its own: other tests of this one free memory meanwhile.
  @Test("memory that another thread freed returns to the system, even if its last block is in use")
  func returned() async { await #expect(processExitsWith: .success) { try Self.expectReturn() } }

  private static func expectReturn() throws {
    var memory = MemoryTrim()
    // A thread has a heap of its own, whose end this block holds.
    let last = Mutex<Int?>(nil)
    let thread = Thread {
      let blocks = (0..<100_000).map { _ in
        let block = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 1, count: 1000)
        return block
      }
      for block in blocks.dropLast() { block.deallocate() }
      last.withLock { $0 = blocks.last.map { Int(bitPattern: $0) } }
    }
    thread.start()
    while last.withLock({ $0 == nil }) { usleep(1000) }
    defer { last.withLock { $0.flatMap(UnsafeMutableRawPointer.init(bitPattern:))?.deallocate() } }
    let before = try #require(resident)
    let isReturned = memory.returnIfGrown()
    #expect(isReturned)
    #expect(try #require(resident) < before - 60_000)
  }

  @Test("a process that did not grow is left alone")
  func still() {
    var bytes = 100 << 20
    var memory = MemoryTrim { bytes }
    bytes += MemoryTrim.growth
    let small = memory.returnIfGrown()
    bytes += 1
    let large = memory.returnIfGrown()
    // The bytes of this test do not shrink: it counts from what was left.
    let again = memory.returnIfGrown()
    #expect([small, large, again] == [false, true, false])
  }

  /// The kilobytes of memory in use that no file holds, as the kernel tells them.
  private static var resident: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    return status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      .flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) }
  }
}
