import Foundation
import Testing

@testable import Core
@testable import Symbols

@Suite(.enabled(if: Programs.symbolizer != nil, "\(Programs.missing)"))
struct SymbolizerTests {
  @Test("a crash in C has the function and its inlined ones, outermost first, with file and line")
  func inlined() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let symbols = scene.symbolizer().symbols(uuid: Scene.till, offsets: Array(stride(from: 0, to: 0x8000, by: 4)))
    let stacks = Set(symbols.values.map { $0.map { "\($0.function) \($0.file):\($0.line ?? 0)" } })
    // The lines are those of Fixtures/Sources/Settle.c.
    let file = "/Users/ci/till/Settle.c"
    #expect(stacks.contains(["settle \(file):18", "taxed \(file):14", "rounded \(file):9"]))
    #expect(stacks.contains(["store \(file):4"]))
  }

  @Test("symbolizer output that is not text gives no name")
  func damagedNames() throws {
    let scene = try Scene()
    let good = try Scene.bytes("Till")
    let offsets = Array(stride(from: UInt64(0), to: 0x8000, by: 4))
    for byte in [UInt8(1), 0x7F, 0xFF] {
      var bad = good
      for index in good.indices.dropLast(7) where good[index..<index + 7].elementsEqual("settle\0".utf8) {
        bad[index + 1] = byte
      }
      #expect(bad != good)
      _ = try scene.add(bad)
      let names = scene.symbolizer().symbols(uuid: Scene.till, offsets: offsets).values.joined().map(\.function)
      #expect(!names.isEmpty)
      #expect(
        names.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0xFFFD } }
      )
    }
    #expect(try scene.add(good).replaced.count == 1)
    let names = scene.symbolizer().symbols(uuid: Scene.till, offsets: offsets).values.joined().map(\.function)
    #expect(names.contains("settle"))
  }

  @Test("Swift names equal those in Xcode, and a trap has its message")
  func swift() throws {
    let scene = try Scene()
    _ = try (scene.add("Till"), scene.add("Receipts"))
    let symbolizer = scene.symbolizer()
    let till = symbolizer.symbols(uuid: Scene.till, offsets: Array(stride(from: 0, to: 0x8000, by: 4)))
    let stacks = Set(till.values.map { $0.map(\.function) })
    #expect(stacks.contains(["Basket.total(reducedBy:)", "Basket.cost(of:)"]))
    #expect(
      stacks.contains(["Basket.total(reducedBy:)", "Basket.cost(of:)", "Swift runtime failure: precondition failure"]))
    let receipts = symbolizer.symbols(uuid: Scene.receipts, offsets: Array(stride(from: 0, to: 0x8000, by: 4)))
    let names = Set(receipts.values.compactMap(\.first?.function))
    #expect(names.isSuperset(of: ["Printer.printed(_:through:)", "Sum.cents.getter"]))
    #expect(names.contains { $0.hasSuffix("static Receipts.enter(_:under:)") })
  }

  @Test("repeated lookups come from memory, and changes of symbols are seen at once")
  func cache() throws {
    let scene = try Scene()
    let symbolizer = scene.symbolizer()
    let offsets = Array(stride(from: UInt64(0x4000), to: 0x4100, by: 4))
    #expect(symbolizer.symbols(uuid: Scene.till, offsets: offsets).isEmpty && !symbolizer.hasSymbols(uuid: Scene.till))
    _ = try scene.add("Till")
    let first = symbolizer.symbols(uuid: Scene.till, offsets: offsets)
    let child = try #require(symbolizer.child)
    #expect(!first.isEmpty && symbolizer.hasSymbols(uuid: Scene.till))
    // Without a child to ask, memory answers.
    kill(child, SIGKILL)
    #expect(symbolizer.symbols(uuid: Scene.till, offsets: offsets) == first)
    #expect(scene.folder.remove(uuid: Scene.till))
    #expect(symbolizer.symbols(uuid: Scene.till, offsets: offsets).isEmpty)
  }

  @Test("a child process that is killed during work is restarted, and no answer is lost or mixed up")
  func killed() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let offsets = Array(stride(from: UInt64(0x4000), to: 0x4B00, by: 4))
    let truth = scene.symbolizer().symbols(uuid: Scene.till, offsets: offsets)
    let symbolizer = scene.symbolizer()
    for offset in offsets.shuffled().prefix(40) {
      if let child = symbolizer.child { kill(child, SIGKILL) }
      #expect(symbolizer.symbols(uuid: Scene.till, offsets: [offset])[offset] == truth[offset])
    }
    #expect(symbolizer.hasSymbols(uuid: Scene.till) && scene.reports.isEmpty)
  }

  @Test("parallel threads get the answers to their own lookups")
  func threads() async throws {
    let scene = try Scene()
    _ = try (scene.add("Till"), scene.add("Receipts"))
    let symbolizer = scene.symbolizer()
    let truth = scene.symbolizer()
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<16 {
        group.addTask {
          let uuid = number % 2 == 0 ? Scene.till : Scene.receipts
          let offsets = (0..<100).map { _ in UInt64.random(in: 0x4000..<0x4B00) & ~3 }
          return symbolizer.symbols(uuid: uuid, offsets: offsets) == truth.symbols(uuid: uuid, offsets: offsets)
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test("offsets outside the code have no name")
  func outside() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let offsets: [UInt64] = [0, 0x8000, 0x1_0000_4000, .max, .max - 0x1_0000_0000, 1 << 63]
    #expect(scene.symbolizer().symbols(uuid: Scene.till, offsets: offsets).isEmpty)
    #expect(scene.symbolizer().symbols(uuid: "nonsense", offsets: offsets).isEmpty)
  }

  @Test("the symbolizer's process ends when it is unused for a while, and is started again")
  func idle() async throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    var limits = ChildLimits()
    limits.idleSeconds = 1
    let symbolizer = scene.symbolizer(limits: limits)
    #expect(!symbolizer.symbols(uuid: Scene.till, offsets: [0x4000]).isEmpty && symbolizer.child != nil)
    for _ in 0..<100 where symbolizer.child != nil { try await Task.sleep(for: .milliseconds(100)) }
    #expect(symbolizer.child == nil)
    #expect(!symbolizer.symbols(uuid: Scene.till, offsets: [0x4010]).isEmpty)
  }

  @Test("the symbolizer's process cannot read outside its folder or write anywhere")
  func sandbox() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    try FileManager.default.copyItem(atPath: Scene.dwarf("Till"), toPath: scene.root + "/outside")
    let program = try #require(Programs.symbolizer)
    func answer(_ path: String) throws -> String {
      let child = try LineProcess(
        command: [program, "--output-style=JSON"], folder: scene.folder.path,
        readable: SymbolizerProgram.readable(program) + [scene.folder.path], limits: ChildLimits())
      var text = ""
      try child.ask(["\"\(path)\" 0x100004000"]) { _, line in text = String(decoding: line, as: UTF8.self) }
      return text
    }
    #expect(try answer("4C/\(Scene.till).macho").contains("\"main\""))
    let isConfined = try !answer("../outside").contains("\"main\"")
    // A kernel before 5.13 has no Landlock; Debian 12 has it.
    #expect(isConfined)
  }
}
