import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Symbols

@Suite("System symbols", .enabled(if: Programs.symbolizer != nil, Comment(rawValue: Programs.missing)))
struct SystemSymbolTests {
  private static let root = Checkout.path("Tests/SymbolsTests/System")
  private static let uuid = "1C5A0F0E11223344A5A6B7B8C9CADBDC"

  private func added(to scene: Scene, isSystem: Bool = true) throws -> SymbolReceipt {
    let found = try #require(SymbolFileSearch.files(at: Self.root)?.first)
    let file = try #require(OpenFile(path: found.path))
    return try scene.folder.add(
      try scene.folder.unpacked(file, .zstd, limit: 1 << 20), named: found.name, isSystem: isSystem, at: Scene.now)
  }

  @Test("system symbols are found in symx's layout, with their names, compressed or not")
  func search() throws {
    let found = try #require(SymbolFileSearch.files(at: Self.root))
    #expect(found.map(\.name) == ["TillKit"] && found[0].isSystem && found[0].isCompressed)
    let scene = try Scene()
    for (path, isMeant) in [
      ("aa/\(String(repeating: "b", count: 30))/debuginfo", true),
      ("aa/\(String(repeating: "b", count: 29))/executable", false),
      ("aa/\(String(repeating: "b", count: 30))/refs/x", false),
      ("a/\(String(repeating: "b", count: 31))/executable", false),
      ("zz/\(String(repeating: "b", count: 30))/executable", false),
    ] {
      let file = URL(filePath: "\(scene.root)/found/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("x".utf8).write(to: file)
      let isFound = SymbolFileSearch.files(at: scene.root + "/found")?.contains { $0.path == file.path }
      #expect(isFound == isMeant, "\(path)")
    }
    let plain = try #require(SymbolFileSearch.files(at: scene.root + "/found"))
    #expect(plain.map(\.name) == ["debuginfo"] && !plain[0].isCompressed)
  }

  @Test("system symbols name functions of a library without debug information, and do not make it the app's")
  func names() throws {
    let scene = try Scene()
    let stored = try added(to: scene).stored
    #expect(stored.map(\.uuid) == [Self.uuid] && stored[0].name == "TillKit" && stored[0].architecture == "arm64e")
    #expect(try added(to: scene).known.count == 1)
    let symbolizer = scene.symbolizer()
    let names = symbolizer.symbols(uuid: Self.uuid, offsets: [0x404, 0x424, 0x444, 0x10])
    #expect(names[0x404]?.map(\.function) == ["-[TillKit open]"] && names[0x424]?.map(\.function) == ["till_close"])
    #expect(names[0x444]?.map(\.function) == ["scan(_:)"] && names[0x10] == nil, "\(names)")
    #expect(!symbolizer.hasSymbols(uuid: Self.uuid))
    _ = try scene.add("Till")
    #expect(symbolizer.hasSymbols(uuid: Scene.till))
    // Another process, or the next start, reads the same from the disk.
    #expect(try SymbolFolder(path: scene.root + "/symbols").symbols(uuid: Self.uuid)?.isSystem == true)
  }

  @Test("system symbols are accepted only as such, and the same library in an app's upload is refused")
  func refused() throws {
    let scene = try Scene()
    let receipt = try added(to: scene, isSystem: false)
    #expect(receipt.stored.isEmpty && receipt.refused.first?.reason.contains("no debug information") == true)
  }

  @Test("system symbols leave an app's symbols unchanged, and are replaced by them")
  func own() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let till = try #require(OpenFile(path: Scene.dwarf("Till")))
    #expect(try scene.folder.add(till, named: "Till", isSystem: true, at: Scene.now).known.count == 1)
    #expect(scene.folder.symbols(uuid: Scene.till)?.isSystem == false)
    let receipts = try #require(OpenFile(path: Scene.dwarf("Receipts")))
    #expect(try scene.folder.add(receipts, named: "Receipts", isSystem: true, at: Scene.now).stored.count == 1)
    #expect(try scene.add("Receipts").replaced.count == 1)
    #expect(scene.folder.symbols(uuid: Scene.receipts)?.isSystem == false)
  }

  @Test("system symbols are evicted for an app's symbols, even if those were used less recently")
  func room() throws {
    let scene = try Scene(limit: 26_000)
    _ = try scene.add("Till")
    let found = try #require(SymbolFileSearch.files(at: Self.root)?.first)
    let file = try scene.folder.unpacked(try #require(OpenFile(path: found.path)), .zstd, limit: 1 << 20)
    let later = Timestamp(milliseconds: Scene.now.milliseconds + 60_000)
    // There is room for one of them beside the app's, and not for more.
    var bytes = try #require(file.bytes(0..<file.count))
    let at = try #require(bytes.firstRange(of: [0x1C, 0x5A, 0x0F, 0x0E])).lowerBound
    for number in 1...3 {
      bytes[at] = UInt8(number)
      let path = "\(scene.root)/\(number)"
      try Data(bytes).write(to: URL(filePath: path))
      _ = try scene.folder.add(try #require(OpenFile(path: path)), named: "Kit", isSystem: true, at: later)
    }
    let kept = scene.folder.all()
    #expect(kept.contains { $0.uuid == Scene.till } && kept.count { $0.isSystem } == 1, "\(kept.map(\.uuid))")
  }
}
