import Foundation
import Telemetry
import Testing

@testable import Symbols

@Suite struct SymbolFolderTests {
  @Test("the same symbols again are kept once, and a later process finds them")
  func known() throws {
    let scene = try Scene()
    #expect(try scene.add("Till").stored.map(\.uuid) == [Scene.till])
    let generation = scene.folder.generation
    let again = try scene.add("Till")
    #expect(again.stored.isEmpty && again.known.map(\.uuid) == [Scene.till])
    #expect(scene.folder.generation == generation)

    let later = try SymbolFolder(path: scene.folder.path)
    let till = try #require(later.symbols(uuid: Scene.till))
    #expect(till.name == "Till" && till.architecture == "arm64" && till.uploaded == Scene.now && till.size == 24_406)
    #expect(till == scene.folder.symbols(uuid: Scene.till))
    #expect(later.generation == generation)
  }

  @Test("two processes see each other's changes, and the generation grows with each")
  func twoProcesses() throws {
    let scene = try Scene()
    let other = try SymbolFolder(path: scene.folder.path)
    #expect(other.all().isEmpty)
    _ = try scene.add("Till")
    let first = other.generation
    #expect(first > 0 && other.symbols(uuid: Scene.till) != nil)
    #expect(other.remove(uuid: Scene.till) && !other.remove(uuid: Scene.till))
    #expect(scene.folder.generation > first && scene.folder.symbols(uuid: Scene.till) == nil)
  }

  @Test("beyond the limit, those that were not used for longest go")
  func limit() throws {
    let scene = try Scene(limit: 30_000)
    _ = try scene.add("Till")
    let receipt = try scene.folder.add(
      try #require(OpenFile(path: Scene.dwarf("Receipts"))), named: "Receipts",
      at: Timestamp(milliseconds: Scene.now.milliseconds + 60_000))
    #expect(receipt.stored.map(\.uuid) == [Scene.receipts])
    #expect(scene.folder.all().map(\.uuid) == [Scene.receipts])
    #expect(!FileManager.default.fileExists(atPath: scene.folder.path(of: Scene.till)))
  }

  @Test("a file that was cut off, or has nothing to tell, is refused with the reason")
  func refused() throws {
    let scene = try Scene()
    let whole = try Scene.bytes("Till")
    let cut = try scene.add(Array(whole.dropLast(100)), named: "Till")
    #expect(cut.stored.isEmpty && cut.refused.first?.reason.hasPrefix("the file is damaged or cut off") == true)
    #expect(try scene.add(Array("hello".utf8), named: "notes.txt").refused.map(\.reason) == ["this is no Mach-O file"])
    // The file type of an executable, and a name of its debug information that nobody knows.
    var executable = whole
    executable[12] = 2
    let section = try #require(whole.firstRange(of: Array("__debug_info\0\0\0\0__DWARF".utf8)))
    executable[section.lowerBound + 8] = UInt8(ascii: "x")
    let bare = try scene.add(executable, named: "Till")
    #expect(bare.stored.isEmpty && bare.withoutSymbols + bare.refused.count > 0)
  }

  @Test("both architectures of a fat file are kept, each under its UUID")
  func fat() throws {
    let scene = try Scene()
    let fat = Fat.file([try Scene.bytes("Till"), try Scene.bytes("Receipts")], isWide: false)
    #expect(Set(try scene.add(fat, named: "Both").stored.map(\.uuid)) == [Scene.till, Scene.receipts])
    #expect(
      [UInt8](try Data(contentsOf: URL(filePath: scene.folder.path(of: Scene.receipts))))
        == (try Scene.bytes("Receipts")))
  }

  @Test("files are readable by their owner only, and a lost side file is made up for from the headers")
  func files() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    let path = scene.folder.path(of: Scene.till)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try FileManager.default.removeItem(atPath: path.replacing(".macho", with: ".json"))
    let till = try #require(try SymbolFolder(path: scene.folder.path).symbols(uuid: Scene.till))
    #expect(till.textAddress == 0x1_0000_0000 && till.architecture == "arm64" && till.name.isEmpty)
  }
}
