import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Symbols

/// Files and programs that mean no good, through the real child process.
@Suite(.enabled(if: Programs.symbolizer != nil, "\(Programs.missing)"))
struct HostileTests {
  /// A failure names its seed as the argument: put it here to see the failure again.
  @Test(
    "a thousand random changes of debug information do no harm", .timeLimit(.minutes(10)),
    arguments: [UInt64.random(in: 0...999_999)])
  func mutations(seed: UInt64) throws {
    let scene = try Scene()
    let symbolizer = scene.symbolizer()
    let whole = try Scene.bytes("Receipts")
    let uuid = try #require(whole.firstRange(of: Scene.binary(Scene.receipts)))
    var random = SeededRandom(seed: seed)
    let rounds = ProcessInfo.processInfo.environment["HOSTILE_FILES"].flatMap { Int($0) } ?? 1000
    for _ in 0..<rounds / 100 {
      var uuids: [String] = []
      for _ in 0..<100 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...30, using: &random) {
          let index = Int.random(in: 32..<bytes.count, using: &random)
          bytes[index] =
            [0, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
            .randomElement(using: &random) ?? 0
        }
        for index in uuid { bytes[index] = UInt8.random(in: 1...255, using: &random) }
        uuids += try scene.add(bytes, named: "Receipts").stored.map(\.uuid)
      }
      #expect(uuids.count > 10)
      for uuid in uuids {
        for symbols in symbolizer.symbols(uuid: uuid, offsets: Array(stride(from: 0x4000, to: 0x4100, by: 8))).values {
          #expect(symbols.allSatisfy { !$0.function.isEmpty && $0.line ?? 1 > 0 })
        }
        #expect(symbolizer.childMemory < 1 << 30)
      }
      for uuid in uuids { _ = scene.folder.remove(uuid: uuid) }
    }
    // And it still does its work.
    _ = try scene.add("Receipts")
    #expect(!symbolizer.symbols(uuid: Scene.receipts, offsets: Array(stride(from: 0x4000, to: 0x4100, by: 4))).isEmpty)
  }

  @Test("truncated files that claim to be complete do no harm")
  func truncated() throws {
    let scene = try Scene()
    let symbolizer = scene.symbolizer()
    _ = try scene.add("Receipts")
    let path = scene.folder.path(of: Scene.receipts)
    let whole = try Scene.bytes("Receipts")
    for length in stride(from: 0, to: whole.count, by: 397) {
      // Behind the back of the folder, which would have refused it.
      try Data(whole[..<length]).write(to: URL(filePath: path))
      let fresh = scene.symbolizer()
      _ = fresh.symbols(uuid: Scene.receipts, offsets: Array(stride(from: 0x4000, to: 0x4100, by: 8)))
    }
    try Data(whole).write(to: URL(filePath: path))
    _ = scene.folder.remove(uuid: Scene.receipts)
    _ = try scene.add("Receipts")
    #expect(!symbolizer.symbols(uuid: Scene.receipts, offsets: Array(stride(from: 0x4000, to: 0x4100, by: 4))).isEmpty)
  }

  @Test(
    "a file that makes the symbolizer end, hang or print nonsense is not read again, and other files are",
    arguments: [
      ("exit 1", "ended"), ("read -r never", "took more than"), ("while :; do echo nonsense; done", "malformed output"),
    ])
  func quarantine(deed: String, word: String) throws {
    let scene = try Scene()
    _ = try (scene.add("Till"), scene.add("Receipts"))
    // A program that is good until it is asked about one file.
    let program = try Self.program(
      scene,
      """
      while read -r line; do
        case "$line" in
        *\(Scene.till)*) \(deed) ;;
        *none*) echo '{"Address":"0x1","Error":{"Message":"none"}}' ;;
        *) address=${line##* }; echo "{\\"Address\\":\\"$address\\",\\"Symbol\\":[{\\"FunctionName\\":\\"f$address\\"}]}" ;;
        esac
      done
      """)
    var limits = ChildLimits()
    limits.answerMilliseconds = 700
    let clock = HandClock()
    let symbolizer = scene.symbolizer(program: program, limits: limits, clock: { clock.now })
    #expect(symbolizer.symbols(uuid: Scene.receipts, offsets: [0x4010])[0x4010]?.map(\.function) == ["f0x4010"])
    for pause in Backoff.seconds {
      #expect(symbolizer.lookUp(uuid: Scene.till, offsets: [0x4000]).unanswered == [0x4000])
      #expect(symbolizer.hasSymbols(uuid: Scene.till) && scene.reports.count == 1)
      clock.wait(pause)
    }
    #expect(symbolizer.symbols(uuid: Scene.till, offsets: [0x4000]).isEmpty)
    #expect(!symbolizer.hasSymbols(uuid: Scene.till))
    #expect(scene.folder.symbols(uuid: Scene.till)?.trouble?.contains(word) == true)
    #expect(scene.reports.count == 2 && scene.reports.allSatisfy { $0.contains("Till") && $0.contains(word) })
    #expect(symbolizer.symbols(uuid: Scene.receipts, offsets: [0x4014])[0x4014]?.map(\.function) == ["f0x4014"])
    // A new upload of the same is another chance.
    #expect(try scene.add("Till").stored.map(\.uuid) == [Scene.till])
    #expect(symbolizer.hasSymbols(uuid: Scene.till))
  }

  @Test("places that a failing symbolizer did not answer are retried after a pause, and then have names")
  func recovers() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let failing = scene.root + "/failing"
    let starts = scene.root + "/starts"
    let program = try Self.program(
      scene,
      """
      echo start >> \(starts)
      while read -r line; do
        case "$line" in
        *none*) echo '{"Address":"0x1","Error":{"Message":"none"}}' ;;
        *) test -e \(failing) && exit 1
          address=${line##* }; echo "{\\"Address\\":\\"$address\\",\\"Symbol\\":[{\\"FunctionName\\":\\"f$address\\"}]}" ;;
        esac
      done
      """)
    try Data().write(to: URL(filePath: failing))
    let clock = HandClock()
    let symbolizer = scene.symbolizer(program: program, clock: { clock.now })
    for _ in 0..<20 { #expect(symbolizer.lookUp(uuid: Scene.till, offsets: [0x4000]).unanswered == [0x4000]) }
    try FileManager.default.removeItem(atPath: failing)
    #expect(symbolizer.lookUp(uuid: Scene.till, offsets: [0x4000]).unanswered == [0x4000])
    clock.wait(Backoff.seconds[0])
    let answer = symbolizer.lookUp(uuid: Scene.till, offsets: [0x4000, 0])
    #expect(answer.names.count == 1 && answer.unanswered.isEmpty)
    #expect(scene.folder.symbols(uuid: Scene.till)?.trouble == nil)
  }

  @Test("an answer to another query is not accepted")
  func mixedUp() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let program = try Self.program(
      scene,
      """
      read -r line
      echo '{"Address":"0x1","Error":{"Message":"none"}}'
      while read -r line; do echo '{"Address":"0x100004004","Symbol":[{"FunctionName":"late"}]}'; done
      """)
    #expect(scene.symbolizer(program: program).symbols(uuid: Scene.till, offsets: [0x4000]).isEmpty)
  }

  @Test(
    "a program that is no symbolizer is reported once, and no file is blamed", arguments: ["/bin/true", "/bin/cat"])
  func otherProgram(path: String) throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let symbolizer = scene.symbolizer(program: path)
    for _ in 0..<3 { #expect(symbolizer.symbols(uuid: Scene.till, offsets: [0x4000]).isEmpty) }
    #expect(scene.reports.count == 1 && scene.folder.symbols(uuid: Scene.till)?.trouble == nil)
  }

  private static func program(_ scene: Scene, _ body: String) throws -> String {
    try FileManager.default.createDirectory(atPath: scene.root + "/bin", withIntermediateDirectories: true)
    let path = scene.root + "/bin/symbolizer"
    try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }
}

/// A clock that goes on when it is told to.
final class HandClock: Sendable {
  private let time = Mutex(Scene.now)

  var now: Timestamp { time.withLock { $0 } }

  func wait(_ seconds: Int64) {
    time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + seconds * 1000) }
  }
}

extension Scene {
  /// The bytes of a UUID.
  static func binary(_ uuid: String) -> [UInt8] {
    let digits = uuid.utf8.map { UInt8($0 < 58 ? $0 - 48 : $0 - 55) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
