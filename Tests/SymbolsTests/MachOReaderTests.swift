import Testing
import TestSupport

@testable import Symbols

@Suite struct MachOReaderTests {
  @Test("a dSYM's UUID, architecture and code offset equal those of LLVM's tools")
  func facts() throws {
    let till = try MachOReader.images(in: BytesInMemory(all: Scene.bytes("Till")))
    let receipts = try MachOReader.images(in: BytesInMemory(all: Scene.bytes("Receipts")))
    #expect(till.map(\.uuid) == [Scene.till] && receipts.map(\.uuid) == [Scene.receipts])
    #expect(till.map(\.architecture) == ["arm64"] && till.allSatisfy { $0.isDebugFile && $0.hasDebugInformation })
    #expect(till.map(\.textAddress) == [0x1_0000_0000] && receipts.map(\.textAddress) == [0])
    #expect(till.map(\.code) == [0x4000..<0x4868] && receipts.map(\.code) == [0x4000..<0x40F8])
  }

  @Test("a fat file has one entry per architecture, with 32-bit and 64-bit offsets", arguments: [false, true])
  func fat(isWide: Bool) throws {
    let (till, receipts) = (try Scene.bytes("Till"), try Scene.bytes("Receipts"))
    let images = try MachOReader.images(in: BytesInMemory(all: Fat.file([till, receipts], isWide: isWide)))
    #expect(images.map(\.uuid) == [Scene.till, Scene.receipts])
    #expect(images.map(\.range.count) == [till.count, receipts.count])
  }

  @Test("a file truncated anywhere is refused with the position where data is missing")
  func prefixes() throws {
    let whole = try Scene.bytes("Receipts")
    for length in stride(from: 0, to: whole.count, by: 7) {
      #expect(throws: MachOProblem.self) {
        try MachOReader.images(in: BytesInMemory(all: Array(whole[..<length])))
      }
    }
    let problem = #expect(throws: MachOProblem.self) {
      try MachOReader.images(in: BytesInMemory(all: Array(whole.dropLast(1))))
    }
    #expect(problem?.description.contains("the file at \(whole.count - 1)") == true)
  }

  /// In a process of its own: a trap ends that process and fails this test alone. `input-fuzzing` tries others.
  @Test(
    "no change of a Mach-O header traps the reader, or makes it read missing bytes",
    arguments: [1, 2] as [UInt64])
  func mutations(seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in
      var random = SeededRandom(seed: seed)
      for whole in [try Scene.bytes("Receipts"), Fat.file([try Scene.bytes("Receipts")], isWide: true)] {
        for _ in 0..<10_000 {
          var bytes = whole
          for _ in 0..<Int.random(in: 1...8, using: &random) {
            let index = Int.random(in: 0..<min(3000, bytes.count), using: &random)
            bytes[index] = Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
          }
          guard let images = try? MachOReader.images(in: BytesInMemory(all: bytes)) else { continue }
          #expect(images.allSatisfy { $0.range.lowerBound >= 0 && $0.range.upperBound <= bytes.count })
        }
      }
    }
  }

  @Test("a segment that claims more sections than fit is damage")
  func sections() async {
    await #expect(processExitsWith: .success) {
      var bytes = try Scene.bytes("Receipts")
      func word(_ index: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) } }
      // Load commands follow a header of 32 bytes, each with its kind and its length in front.
      var command = 32
      while word(command) != 0x19 || !bytes[(command + 8)...].starts(with: "__TEXT".utf8) {
        command += word(command + 4)
      }
      // LC_SEGMENT_64 has the number of its sections 64 bytes in, and each section is 80 bytes long.
      let room = (word(command + 4) - 72) / 80
      #expect(word(command + 64) <= room)
      bytes[command + 64] = UInt8(room + 1)
      #expect(throws: MachOProblem.self) { try MachOReader.images(in: BytesInMemory(all: bytes)) }
    }
  }

  @Test(
    "a file that is not Mach-O is refused as such", arguments: ["", "abc", "PK\u{3}\u{4}", "#!/bin/sh\n", "{\"a\": 1}"])
  func others(text: String) {
    #expect(throws: MachOProblem.notMachO) { try MachOReader.images(in: BytesInMemory(all: Array(text.utf8))) }
  }

  @Test("UUIDs are read with and without dashes, in any letter case")
  func uuids() {
    #expect(UUIDText.canonical("4c4c445c-5555-3144-A1FA-e3fb6b3be1db") == Scene.till)
    #expect(UUIDText.canonical(Scene.till.dropLast()) == nil && UUIDText.canonical(Scene.till + "0") == nil)
    #expect(UUIDText.canonical(String(repeating: "g", count: 32)) == nil)
    #expect(UUIDText.dashed(Scene.till) == "4C4C445C-5555-3144-A1FA-E3FB6B3BE1DB")
  }
}

/// Fat files, written from Apple's description of them.
enum Fat {
  static func file(_ images: [[UInt8]], isWide: Bool) -> [UInt8] {
    let entry = isWide ? 32 : 20
    var file = big(isWide ? 0xCAFE_BABF : 0xCAFE_BABE, 4) + big(UInt64(images.count), 4)
    var at = 16_384
    for image in images {
      let size = isWide ? 8 : 4
      file += big(0x0100_000C, 4) + big(0, 4) + big(UInt64(at), size) + big(UInt64(image.count), size) + big(14, 4)
      if isWide { file += big(0, 4) }
      at += (image.count + 16_383) / 16_384 * 16_384
    }
    assert(file.count == 8 + entry * images.count)
    for image in images {
      file += [UInt8](repeating: 0, count: (16_384 - file.count % 16_384) % 16_384) + image
    }
    return file
  }

  private static func big(_ number: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }
}
