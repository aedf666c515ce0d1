import Foundation
import Testing

@testable import Core
@testable import Symbols

@Suite struct SymbolFolderTests {
  @Test("repeated symbols are stored once, and a later process finds them")
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

  @Test("other bytes with the same UUID replace stored ones, so that a damaged dSYM does not block a good one")
  func replaced() throws {
    let scene = try Scene()
    let good = try Scene.bytes("Till")
    var bad = good
    // Names of functions that are none: they stand one behind the other in `__debug_str`.
    let name = try #require(good.firstRange(of: Array("settle\0".utf8)))
    bad[name.lowerBound] = 1
    #expect(try scene.add(bad).stored.map(\.uuid) == [Scene.till])
    let generation = scene.folder.generation
    let receipt = try scene.add(good)
    #expect(receipt.replaced.map(\.uuid) == [Scene.till] && receipt.stored.isEmpty && receipt.known.isEmpty)
    #expect(scene.folder.generation > generation && scene.folder.all().count == 1)
    #expect([UInt8](try Data(contentsOf: URL(filePath: scene.folder.path(of: Scene.till)))) == good)
    #expect(try scene.add(good).known.map(\.uuid) == [Scene.till])
  }

  @Test("debug information that does not begin with a unit is refused")
  func overwritten() throws {
    let scene = try Scene()
    let good = try Scene.bytes("Till")
    let section = try #require(good.firstRange(of: Array("__debug_info\0\0\0\0__DWARF".utf8)))
    let offset = (0..<4).reduce(0) { $0 | Int(good[section.lowerBound + 48 + $1]) << (8 * $1) }
    for (index, byte) in [(offset + 4, UInt8(77)), (offset + 3, 0x7F), (offset + 10, 3)] {
      var bad = good
      bad[index] = byte
      let receipt = try scene.add(bad, named: "Till")
      #expect(receipt.stored.isEmpty && receipt.refused.first?.reason.contains("debug information") == true)
    }
    #expect(try scene.add(good).stored.count == 1)
  }

  @Test("two processes see each other's changes to the symbols, and the generation grows with each")
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

  @Test("beyond the limit, the symbols that were not used for longest are evicted")
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

  @Test("however small they are, the number of symbols is limited, and those used last stay")
  func number() throws {
    let scene = try Scene()
    let folder = try SymbolFolder(path: scene.root + "/few", limit: 1 << 30, most: 200)
    var bytes = try Scene.bytes("Till")
    let uuid = stride(from: 0, to: 32, by: 2).compactMap { UInt8(Scene.till.dropFirst($0).prefix(2), radix: 16) }
    let index = try #require(bytes.firstRange(of: uuid)).lowerBound
    for number in 0..<210 {
      (bytes[index], bytes[index + 1]) = (UInt8(number / 256), UInt8(number % 256))
      let path = scene.root + "/sent"
      try Data(bytes).write(to: URL(filePath: path))
      let time = Timestamp(milliseconds: Scene.now.milliseconds + Int64(number))
      #expect(try folder.add(try #require(OpenFile(path: path)), named: "Till", at: time).stored.count == 1)
      #expect(folder.all().count <= 200)
    }
    let kept = Set(folder.all().compactMap { UInt8($0.uuid.dropFirst(2).prefix(2), radix: 16) })
    #expect(kept.count >= 198 && kept.max() == 209 && kept.min() == 210 - UInt8(kept.count))
    // Another process counts the same.
    #expect(try SymbolFolder(path: scene.root + "/few").all().count == kept.count)
  }

  @Test("a truncated or empty symbol file is refused with the reason")
  func refused() throws {
    let scene = try Scene()
    let whole = try Scene.bytes("Till")
    let cut = try scene.add(Array(whole.dropLast(100)), named: "Till")
    #expect(cut.stored.isEmpty && cut.refused.first?.reason.hasPrefix("the file is damaged or cut off") == true)
    let notes = try scene.add(Array("hello".utf8), named: "notes.txt")
    #expect(notes.refused.map(\.reason) == ["this is not a Mach-O file"])
    // The file type of an executable, and a name of its debug information that nobody knows.
    var executable = whole
    executable[12] = 2
    let section = try #require(whole.firstRange(of: Array("__debug_info\0\0\0\0__DWARF".utf8)))
    executable[section.lowerBound + 8] = UInt8(ascii: "x")
    let bare = try scene.add(executable, named: "Till")
    #expect(bare.stored.isEmpty && bare.withoutSymbols + bare.refused.count > 0)
  }

  @Test("both architectures of a fat file are stored under their UUIDs")
  func fat() throws {
    let scene = try Scene()
    let fat = Fat.file([try Scene.bytes("Till"), try Scene.bytes("Receipts")], isWide: false)
    #expect(Set(try scene.add(fat, named: "Both").stored.map(\.uuid)) == [Scene.till, Scene.receipts])
    #expect(
      [UInt8](try Data(contentsOf: URL(filePath: scene.folder.path(of: Scene.receipts))))
        == (try Scene.bytes("Receipts")))
  }

  @Test("symbol files are readable only by their owner, and a lost side file is rebuilt from the headers")
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
