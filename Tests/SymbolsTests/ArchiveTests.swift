import Foundation
import Testing
import TestSupport

@testable import Symbols

@Suite struct ArchiveTests {
  @Test(
    "dSYMs anywhere in a zip archive are accepted, and nothing else", arguments: ["stored", "deflated", "streamed"])
  func archive(how: String) throws {
    let python = try #require(Program.find("python3"), "python3 writes the archives")
    let scene = try Scene()
    let path = scene.root + "/Till.xcarchive.zip"
    _ = try Program.text(python, ["-c", Self.writer, path, how, Scene.dwarf("Till"), Scene.dwarf("Receipts")])
    let receipt = try scene.folder.add(try #require(OpenFile(path: path)), named: "Till.xcarchive.zip", at: Scene.now)
    #expect(Set(receipt.stored.map(\.uuid)) == [Scene.till, Scene.receipts])
    #expect(Set(receipt.stored.map(\.name)) == ["Till", "Receipts"])
    #expect(receipt.refused.isEmpty && receipt.known.isEmpty)
    let kept = try Data(contentsOf: URL(filePath: scene.folder.path(of: Scene.till)))
    #expect([UInt8](kept) == (try Scene.bytes("Till")))
  }

  /// Python's own writer of zip archives; to a pipe it writes sizes behind the bytes, as `ditto` and `zip -` do.
  private static let writer = """
    import sys, zipfile
    class Pipe:
      def __init__(self, file): self.file = file
      def write(self, data): return self.file.write(data)
      def flush(self): self.file.flush()
    path, how, *files = sys.argv[1:]
    with open(path, 'wb') as file:
      target = Pipe(file) if how == 'streamed' else file
      method = zipfile.ZIP_STORED if how == 'stored' else zipfile.ZIP_DEFLATED
      with zipfile.ZipFile(target, 'w', method) as archive:
        archive.writestr('Till.xcarchive/Info.plist', '<plist/>' * 500)
        for name in files:
          archive.write(name, 'Till.xcarchive/dSYMs/' + name.split('/Fixtures/')[1])
    """

  @Test("names that lead out of an archive, links and damaged files are refused by name, and the rest is accepted")
  func hostileEntries() throws {
    let till = try Scene.bytes("Till")
    let receipts = try Scene.bytes("Receipts")
    var zip = Zip()
    zip.add("../../etc/cron.d/evil", receipts)
    zip.add("/absolute", receipts)
    zip.add("link", Array("/etc/passwd".utf8), mode: 0xA1FF)
    zip.add("damaged", receipts, sum: 7)
    zip.add("good/Till", till)
    let scene = try Scene()
    let receipt = try scene.add(zip.file)
    #expect(receipt.stored.map(\.uuid) == [Scene.till])
    #expect(receipt.refused.map(\.name) == ["../../etc/cron.d/evil", "/absolute", "damaged"])
    #expect(receipt.refused.last?.reason.contains("checksum") == true)
    #expect(FileManager.default.contents(atPath: scene.folder.path + "/incoming") == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.incoming).isEmpty)
  }

  @Test("a symbolic link is not a file, whatever its bytes are")
  func link() throws {
    var zip = Zip()
    zip.add("dSYMs/Receipts", try Scene.bytes("Receipts"), mode: 0xA1FF)
    zip.add("dSYMs/Till", try Scene.bytes("Till"))
    #expect(try Scene().add(zip.file).stored.map(\.uuid) == [Scene.till])
  }

  @Test("an archive that lists more than 50,000 files is refused before its list is read")
  func entryLimit() throws {
    var zip = Zip()
    zip.add("Receipts", try Scene.bytes("Receipts"))
    /// What is said of the archive when its end claims another number of files than are there.
    func problem(_ count: Int) throws -> String {
      var bytes = zip.file
      // The number stands twice in the last 22 bytes (APPNOTE 4.3.16), little-endian at 8 and at 10.
      for index in [8, 10] {
        bytes[bytes.count - 22 + index] = UInt8(count & 255)
        bytes[bytes.count - 22 + index + 1] = UInt8(count >> 8)
      }
      do throws(ZipProblem) {
        _ = try ZipDirectoryReader(BytesInMemory(all: bytes)).entries()
        return "none"
      } catch {
        return error.description
      }
    }
    #expect(try problem(1) == "none")
    #expect(try problem(50_000) == "the archive's directory is damaged")
    #expect(try problem(50_001) == "the archive lists 50001 files; the limit is 50000")
  }

  /// Each in a process of its own: a bound that is missing ends that process and fails this test alone.
  @Test("lengths beyond the end of an archive are refused")
  func beyondTheEnd() async throws {
    await #expect(processExitsWith: .success) {
      var zip = Zip()
      zip.add("Receipts", [1, 2, 3, 4])
      var bytes = zip.file
      // The length of the name in the list, 28 bytes into its first entry (APPNOTE 4.3.12), which ends the list.
      let list = bytes.count - 22 - 46 - "Receipts".utf8.count
      bytes[list + 28] = 200
      #expect(throws: ZipProblem.self) { try ZipDirectoryReader(BytesInMemory(all: bytes)).entries() }
    }
    await #expect(processExitsWith: .success) {
      var zip = Zip()
      zip.add("Receipts", [1, 2, 3, 4])
      var bytes = zip.file
      let list = bytes.count - 22 - 46 - "Receipts".utf8.count
      // The packed and the whole size, at 20 and 24: more than the archive has.
      for index in [21, 25] { bytes[list + index] = 255 }
      let scene = try Scene()
      let path = scene.root + "/a.zip"
      try Data(bytes).write(to: URL(filePath: path))
      let archive = try ZipArchive(try #require(OpenFile(path: path)))
      #expect(throws: ZipProblem.self) { try archive.read(archive.entries[0]) { _ in true } }
    }
  }

  @Test("an unusable archive is explained: empty, with other archives, or with a truncated dSYM")
  func said() throws {
    let scene = try Scene()
    func reasons(_ zip: Zip) throws -> [String] { try scene.add(zip.file).refused.map { "\($0.name): \($0.reason)" } }
    #expect(try reasons(Zip()) == ["file: the zip archive is empty"])
    var notes = Zip()
    notes.add("notes.txt", Array("x".utf8))
    #expect(try reasons(notes).first?.contains("holds no dSYM") == true)
    var inner = Zip()
    inner.add("Till", try Scene.bytes("Till"))
    var outer = Zip()
    outer.add("builds/1.zip", inner.file)
    #expect(try reasons(outer).first?.hasPrefix("builds/1.zip: it is a zip within a zip") == true)
    var mixed = Zip()
    mixed.add("Shop.dSYM.zip", inner.file)
    mixed.add("Shop.app/help.zip", notes.file)
    mixed.add("__MACOSX/Till.dSYM/Contents/Resources/DWARF/._Till", [0, 5, 22, 7, 0])
    mixed.add("Till.dSYM/Contents/Resources/DWARF/Till", Array(try Scene.bytes("Till").prefix(3)))
    mixed.add("Receipts", try Scene.bytes("Receipts"))
    let receipt = try scene.add(mixed.file)
    #expect(receipt.stored.map(\.uuid) == [Scene.receipts])
    #expect(
      receipt.refused.map(\.name) == ["Till.dSYM/Contents/Resources/DWARF/Till", "Shop.dSYM.zip"], "\(receipt.refused)")
  }

  @Test("an archive that unpacks to far more than its size leaves nothing behind")
  func bomb() throws {
    let python = try #require(Program.find("python3"), "python3 writes the archive")
    let scene = try Scene()
    let path = scene.root + "/bomb.zip"
    let writer = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('Till', bytes([0xcf, 0xfa, 0xed, 0xfe]) + bytes(200 << 20))
      """
    _ = try Program.text(python, ["-c", writer, path])
    let receipt = try scene.folder.add(try #require(OpenFile(path: path)), named: "bomb.zip", at: Scene.now)
    #expect(receipt.stored.isEmpty && receipt.refused.map(\.name) == ["Till"])
    #expect(receipt.refused.first?.reason.hasPrefix("it unpacks to 209715204 bytes") == true)
  }

  @Test("many small bombs together write no more than the archive's limit")
  func manyBombs() throws {
    let python = try #require(Program.find("python3"), "python3 writes the archive")
    let scene = try Scene()
    let path = scene.root + "/bombs.zip"
    let writer = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:
        for index in range(20):
          archive.writestr(f'Till{index}', bytes([0xcf, 0xfa, 0xed, 0xfe]) + bytes(3 << 20))
      """
    _ = try Program.text(python, ["-c", writer, path])
    let file = try #require(OpenFile(path: path))
    var room = SymbolFolder.mostUnpacked(from: file.count)
    #expect(room == 16 << 20)
    let receipt = try scene.folder.add(file, named: "bombs.zip", at: Scene.now, room: &room)
    #expect(receipt.refused.count { $0.reason == "the archive unpacks to more than 16777216 bytes" } == 15)
    #expect((0..<3 << 20).contains(room))
  }

  /// In a process of its own: a trap ends that process and fails this test alone. The failure names its seed as the
  /// argument: put it here to see the failure again.
  @Test(
    "no prefix or change of an archive traps its reader", arguments: [UInt64.random(in: 0...999_999)])
  func mutations(seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in
      var zip = Zip()
      zip.add("dSYMs/Receipts", try Scene.bytes("Receipts"))
      zip.add("Info.plist", Array("<plist/>".utf8))
      let whole = zip.file
      let scene = try Scene()
      for length in stride(from: 0, to: whole.count, by: 101) {
        #expect(try scene.add(Array(whole[..<length])).stored.isEmpty)
      }
      var random = SeededRandom(seed: seed)
      let changed = Array(0..<60) + Array((whole.count - 200)..<whole.count)
      for _ in 0..<3000 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[changed.randomElement(using: &random) ?? 0] = UInt8.random(in: 0...255, using: &random)
        }
        let receipt = try scene.add(bytes)
        #expect(receipt.stored.count + receipt.known.count <= 1)
      }
    }
  }
}

/// Archives with stored files, written from PKWARE's description, with whatever faults a test wants.
struct Zip {
  private var files: [UInt8] = []
  private var list: [UInt8] = []
  private var count = 0

  mutating func add(_ name: String, _ bytes: [UInt8], sum: UInt32? = nil, mode: UInt32 = 0x81A4) {
    let offset = UInt64(files.count)
    let sum = UInt64(sum ?? Self.sum(bytes))
    let facts = little(sum, 4) + little(UInt64(bytes.count), 4) + little(UInt64(bytes.count), 4)
    let lengths = little(UInt64(name.utf8.count), 2) + little(0, 2)
    let middle = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + facts + lengths
    files += little(0x0403_4B50, 4) + middle + Array(name.utf8) + bytes
    list += little(0x0201_4B50, 4) + little(0x031E, 2) + middle + little(0, 6) + little(UInt64(mode) << 16, 4)
    list += little(offset, 4) + Array(name.utf8)
    count += 1
  }

  var file: [UInt8] {
    let number = little(UInt64(count), 2)
    return files + list + little(0x0605_4B50, 4) + little(0, 4) + number + number + little(UInt64(list.count), 4)
      + little(UInt64(files.count), 4) + little(0, 2)
  }

  private func little(_ number: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// CRC-32 bit by bit, as ISO 3309 has it.
  private static func sum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
  }
}
