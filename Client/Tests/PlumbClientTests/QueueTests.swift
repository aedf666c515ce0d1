import Foundation
import Testing

@testable import PlumbClient

@Suite("The queue of files")
struct QueueTests {
  private let place = TemporaryFolder()
  private let clock = TestClock()

  private func queue(_ limits: QueueLimits = QueueLimits()) throws -> PayloadQueue {
    try PayloadQueue(folder: place.url.appendingPathComponent("queue"), limits: limits, clock: clock.clock)
  }

  private func names(_ queue: PayloadQueue) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: queue.folder.path))
  }

  private func limits(bytes: Int = 10_000_000, files: Int = 500, fileBytes: Int = 4_000_000) -> QueueLimits {
    var limits = QueueLimits()
    limits.bytes = bytes
    limits.files = files
    limits.fileBytes = fileBytes
    return limits
  }

  @Test("waiting files survive a restart in order, with the same keys and bytes")
  func restart() throws {
    let first = try queue()
    for text in ["one", "two", "three"] { first.add(Data(text.utf8), .measurements) }
    let second = try queue()
    #expect(second.files == first.files)
    #expect(Set(second.files.map(\.key)).count == 3)
    #expect(
      try second.files.map { try String(contentsOf: second.url(of: $0), encoding: .utf8) } == ["one", "two", "three"])
    second.add(Data("four".utf8), .measurements)
    #expect(second.files.map(\.sequence) == [1, 2, 3, 4])
  }

  @Test("unfinished files of an earlier process, and files that no queue wrote, are deleted")
  func unknownFiles() throws {
    let folder = try queue().folder
    let unknown = [
      "new.part", "1-2-m-short.json", "x-1-m-\(String(repeating: "a", count: 32)).json", "notes.txt",
      "5-1700000000000-m-\(String(repeating: "a", count: 32)).json",
    ]
    for name in unknown.dropLast() { try Data("x".utf8).write(to: folder.appendingPathComponent(name)) }
    // Empty: the power went before its bytes were on the disk.
    try Data().write(to: folder.appendingPathComponent(unknown[4]))
    let queue = try queue()
    #expect(queue.files.isEmpty)
    #expect(try names(queue).isEmpty)
  }

  @Test("bytes and files are bounded; old measurements are deleted first, then MetricKit's payloads, then sessions")
  func bounds() throws {
    let queue = try queue(limits(bytes: 1000, files: 5))
    let body = Data(repeating: 1, count: 200)
    for kind in [PayloadKind.sessions, .metricKit, .measurements, .measurements, .metricKit] { queue.add(body, kind) }
    queue.add(body, .sessions)
    #expect(queue.files.map(\.sequence) == [1, 2, 4, 5, 6])
    queue.add(body, .sessions)
    queue.add(body, .sessions)
    queue.add(body, .sessions)
    #expect(queue.files.map(\.sequence) == [1, 6, 7, 8, 9])
    queue.add(body, .measurements)
    #expect(queue.files.reduce(0) { $0 + $1.size } <= 1000)
    #expect(queue.takeLosses() == [.full: 5])
    #expect(try names(queue) == Set(queue.files.map(\.name)))
  }

  @Test("hundreds of payloads while offline stay within the limits")
  func flood() throws {
    let queue = try queue(limits(bytes: 20_000, files: 50))
    for number in 0..<600 {
      queue.add(Data(repeating: 2, count: number % 1500 + 1), number % 3 == 0 ? .metricKit : .measurements)
    }
    #expect(queue.files.count <= 50)
    #expect(queue.files.reduce(0) { $0 + $1.size } <= 20_000)
    #expect(queue.takeLosses()[.full] == 600 - queue.files.count)
  }

  @Test("a file in upload is not deleted to make room")
  func underway() throws {
    let queue = try queue(limits(files: 1))
    queue.add(Data([1]), .measurements)
    let name = queue.files[0].name
    #expect(!queue.add(Data([2]), .sessions, keeping: [name]))
    #expect(queue.files.map(\.name) == [name])
    #expect(queue.takeLosses() == [.full: 1])
  }

  @Test("a payload larger than a server accepts is counted but not stored")
  func large() throws {
    let queue = try queue(limits(fileBytes: 100))
    #expect(queue.add(Data(repeating: 0, count: 100), .metricKit))
    #expect(!queue.add(Data(repeating: 0, count: 101), .metricKit))
    #expect(queue.takeLosses() == [.large: 1])
  }

  @Test("a file expires after seven days and not earlier")
  func expiry() throws {
    let queue = try queue()
    queue.add(Data([1]), .sessions)
    clock.advance(7 * 86_400)
    queue.expireOld()
    #expect(queue.files.count == 1)
    clock.advance(1)
    queue.expireOld()
    #expect(queue.files.isEmpty)
    #expect(queue.takeLosses() == [.expired: 1])
    #expect(try names(queue).isEmpty)
  }

  @Test("no file stays forever after a clock was set back, and none is deleted early by a clock that was not set")
  func clockChanges() throws {
    let start = clock.now
    let first = try queue()
    clock.now = start.addingTimeInterval(10 * 365 * 86_400)
    first.add(Data([1]), .sessions)
    clock.now = Date(timeIntervalSince1970: 100)
    first.add(Data([2]), .sessions)
    let keys = first.files.map(\.key)
    clock.now = start
    let second = try queue()
    #expect(second.files.map(\.key) == keys)
    #expect(try names(second) == Set(second.files.map(\.name)))
    clock.now = start.addingTimeInterval(7 * 86_400 + 1)
    second.expireOld()
    #expect(second.files.isEmpty)
  }

  @Test("a file is taken over by renaming it")
  func adoption() throws {
    let queue = try queue()
    let file = place.url.appendingPathComponent("open.json")
    try Data("document".utf8).write(to: file)
    queue.adopt(file, .measurements)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(try String(contentsOf: queue.url(of: queue.files[0]), encoding: .utf8) == "document")
  }

  #if os(Linux)
    @Test(
      "on a full disk less important files are deleted, no partial file stays, and the loss is counted",
      .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
      let disk = try SmallDisk(bytes: 64 * 1024)
      defer { disk.remove() }
      let queue = try PayloadQueue(
        folder: disk.url.appendingPathComponent("queue"), limits: limits(bytes: 60_000, fileBytes: 1_000_000),
        clock: clock.clock)
      for _ in 0..<4 { queue.add(Data(repeating: 1, count: 9000), .measurements) }
      // What others wrote fills the rest.
      let others = disk.url.appendingPathComponent("others")
      let free = try disk.free()
      try Data(repeating: 0, count: free).write(to: others)
      #expect(try disk.free() == 0)
      #expect(queue.add(Data(repeating: 2, count: 9000), .sessions))
      #expect(queue.files.last?.kind == .sessions)
      #expect(queue.files.map(\.sequence) == [2, 3, 4, 5])
      #expect(queue.takeLosses() == [.full: 1])
      // Nothing may give way any more.
      for file in queue.files { queue.remove(file.name) }
      try Data(repeating: 0, count: free + (try disk.free())).write(to: others)
      #expect(try disk.free() == 0)
      #expect(!queue.add(Data(repeating: 3, count: 9000), .sessions))
      #expect(try names(queue).isEmpty)
      #expect(queue.takeLosses() == [.disk: 1])
      try FileManager.default.removeItem(at: others)
      #expect(queue.add(Data(repeating: 4, count: 9000), .sessions))
    }
  #endif
}
