import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Ingest

@Suite("Symbols that a decoder keeps")
struct RecentSymbolsTests {
  /// Texts that differ little, that cleaning changes, and to which cleaning changes others.
  private static let texts =
    ["", "<redacted>", "main", "mains", "main\n", "main ", "main\u{202E}", "main\u{FFFD}"]
    + [
      "CartStore.load(_:completion:)", "CartStore.loaf(_:completion:)", "cafe\u{301}", "caf\u{E9}",
      "e" + String(repeating: "\u{301}", count: 40),
    ]
    + ["e" + String(repeating: "\u{301}", count: 30) + String(repeating: "\u{FFFD}", count: 10)]
    + [199, 200, 201, 400].map { String(repeating: "x", count: $0) }
    + [198, 200].map { String(repeating: "x", count: $0) + "\u{E9} y" }

  private static func event(_ random: inout SeededRandom) throws -> [UInt8] {
    let frames = (0..<20).map { _ -> [String: Any] in
      var frame: [String: Any] = ["function": texts[random.index(below: texts.count)]]
      if Bool.random(using: &random) { frame["filename"] = texts[random.index(below: texts.count)] }
      if Bool.random(using: &random) { frame["lineno"] = Int.random(in: -1...2, using: &random) }
      return frame
    }
    let exception: [String: Any] = ["mechanism": ["handled": false], "stacktrace": ["frames": frames]]
    let event: [String: Any] = [
      "event_id": String(repeating: "a", count: 32), "level": "fatal", "exception": ["values": [exception]],
    ]
    return [UInt8](try JSONSerialization.data(withJSONObject: event))
  }

  /// The bytes of the symbols' texts, because Swift's `==` ignores how a character is composed.
  private static func names(in decoded: Decoded) -> [[UInt8]?] {
    decoded.reports.flatMap(\.diagnostics).flatMap(\.calls.frames).map { frame in
      frame.symbol.map { Array(($0.function + "\n" + $0.file).utf8) }
    }
  }

  @Test("a decoder that has read other stacks reads one like a new decoder", arguments: [1, 2])
  func remembered(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let decoder = PayloadDecoder()
    for _ in 0..<500 {
      let event = try Self.event(&random)
      let found = try decode(event, as: .sentryStore, with: decoder)
      let fresh = try decode(event, as: .sentryStore)
      #expect(found == fresh)
      #expect(Self.names(in: found).count == 20 && Self.names(in: found) == Self.names(in: fresh))
    }
  }

  @Test("a symbol is found by exactly its bytes and line, and a long one is not kept")
  func exact() {
    let symbols = RecentSymbols()
    func find(_ function: String, _ file: String = "", line: Int? = nil) -> CallTree.Symbol {
      Array(function.utf8).withUnsafeBufferPointer { function in
        Array(file.utf8).withUnsafeBufferPointer { file in
          symbols.symbol(function, file, line: line) {
            let (function, file) = (String(decoding: function, as: UTF8.self), String(decoding: file, as: UTF8.self))
            return CallTree.Symbol(function: function, file: file, line: line)
          }
        }
      }
    }
    let name = "CartStore.load(_:completion:)"
    #expect(find(name) === find(name))
    #expect(find(name, "a.swift", line: 1) === find(name, "a.swift", line: 1))
    for (function, file, line) in [(name, "a.swift", 2), (name, "b.swift", 1), (name + "a", ".swift", 1)] {
      let other = find(function, file, line: line)
      #expect(other.function == function && other.file == file && other.line == line)
    }
    let long = String(repeating: "x", count: 401)
    #expect(find(long) !== find(long) && find(long).function == long)
  }
}
