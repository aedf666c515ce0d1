import Testing
import TestSupport

@testable import ClickHouseStore

@Suite("A block of ClickHouse's Native format")
struct NativeBlockTests {
  /// One column of each kind, with three rows.
  static let block = NativeBlock([
    .init("a", .integers(.uInt8, [0, 1, 255])), .init("b", .integers(.int16, [-32768, 0, 32767])),
    .init("c", .integers(.uInt32, [0, 1, 4_294_967_295])), .init("d", .integers(.int32, [-1, 0, .init(Int32.max)])),
    .init("e", .integers(.uInt64, [0, -1, .min])), .init("f", .integers(.int64, [.min, -1, .max])),
    .init("g", .doubles([-0.0, 1e308, .infinity])), .init("h", .strings(["", "é'\\\n\t\0", "🦊"])),
    .init("i", .extremes(.min, [nil, 0, -1.5])), .init("j", .extremes(.max, [2.5, nil, nil])),
    .init("k", .arrays(ends: [0, 2, 3], .integers(.int64, [5, -6, 7]))),
    .init("l", .arrays(ends: [1, 1, 1], .strings(["x"]))),
  ])

  @Test("a Native block has the bytes that ClickHouse documents")
  func layout() {
    let block = NativeBlock([
      .init("n", .integers(.uInt16, [258, 3])), .init("t", .strings(["é", ""])),
      .init("l", .arrays(ends: [1, 3], .integers(.uInt8, [7, 8, 9]))), .init("m", .extremes(.min, [nil, 1])),
    ])
    var expected: [UInt8] = [4, 2]
    expected += [1] + Array("n".utf8) + [6] + Array("UInt16".utf8) + [2, 1, 3, 0]
    expected += [1] + Array("t".utf8) + [6] + Array("String".utf8) + [2, 0xC3, 0xA9, 0]
    expected += [1] + Array("l".utf8) + [12] + Array("Array(UInt8)".utf8)
    expected += [1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9]
    expected += [1] + Array("m".utf8) + [31] + Array("AggregateFunction(min, Float64)".utf8)
    expected += [0, 1, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]
    #expect(block.encoded() == expected)
  }

  @Test("a Native block reads back as it was written, and several as one")
  func roundTrip() throws {
    let bytes = Self.block.encoded()
    #expect(try NativeBlock(decoding: bytes) == Self.block)
    let twice = try NativeBlock(decoding: bytes + bytes)
    #expect(twice.count == 6)
    #expect(try twice.integers("f") == [.min, -1, .max, .min, -1, .max])
    let arrays = try twice.integerArrays("k")
    #expect(arrays.ranges.map { Array(arrays.elements[$0]) } == [[], [5, -6], [7], [], [5, -6], [7]])
  }

  @Test("blocks in one answer of ClickHouse have the same columns")
  func differentColumns() {
    let wide = NativeBlock([.init("a", .integers(.uInt8, [1])), .init("b", .integers(.uInt8, [2]))])
    let narrow = NativeBlock([.init("a", .integers(.uInt8, [1]))])
    let other = NativeBlock([.init("c", .integers(.uInt8, [1]))])
    for (first, second) in [(wide, narrow), (narrow, other), (narrow, wide)] {
      #expect(throws: NativeBlock.Unreadable.self) { try NativeBlock(decoding: first.encoded() + second.encoded()) }
    }
  }

  @Test("a Native block without rows has no bytes and no columns to miss")
  func empty() throws {
    let block = try NativeBlock(decoding: [])
    #expect(block.count == 0)
    #expect(try block.integers("a") == [] && block.strings("b") == [] && block.doubles("c") == [])
  }

  @Test("a Native block with a missing column or another type is an error that names the column")
  func columns() throws {
    let missing = #expect(throws: NativeBlock.MissingColumn.self) { try Self.block.integers("z") }
    #expect(missing?.description == "the answer has no column z")
    let mismatch = #expect(throws: NativeBlock.MissingColumn.self) { try Self.block.strings("a") }
    #expect(mismatch?.description == "the column a of the answer has the type UInt8, not texts")
  }

  @Test("a Native block that is truncated or damaged is an error, whatever its bytes")
  func damage() throws {
    let bytes = Self.block.encoded()
    for length in 1..<bytes.count {
      #expect(throws: NativeBlock.Unreadable.self) { try NativeBlock(decoding: Array(bytes[..<length])) }
    }
    var random = SystemRandomNumberGenerator()
    var refused = 0
    for index in bytes.indices {
      for value in [0xFF, 0x80, UInt8.random(in: 0...255, using: &random)] {
        var damaged = bytes
        damaged[index] = value
        // A changed value may be another block; nothing may trap.
        do { _ = try NativeBlock(decoding: damaged) } catch { refused += 1 }
      }
    }
    #expect(refused > bytes.count)
  }

  @Test("the time to read Native blocks grows with their bytes, not with their number")
  func manyBlocks() throws {
    let tiny = NativeBlock([
      .init("n", .integers(.uInt8, [7])), .init("t", .strings(["a"])),
      .init("l", .arrays(ends: [1], .integers(.int64, [5]))),
    ]).encoded()
    func read(_ blocks: Int) throws -> Double {
      let bytes = Array(repeatElement(tiny, count: blocks).joined())
      return try processorTime {
        let block = try NativeBlock(decoding: bytes)
        #expect(block.count == blocks)
        #expect(try block.integerArrays("l").ranges.last == blocks - 1..<blocks)
      }
    }
    // Read as the square of their number, forty thousand took minutes in a debug build.
    #expect(try read(40_000) < 20)
  }

  @Test("a Native block that claims more than it has, or needs more memory than allowed, is an error")
  func excess() throws {
    func refusal(_ bytes: [UInt8]) -> String? {
      do throws(NativeBlock.Unreadable) {
        _ = try NativeBlock(decoding: bytes)
        return nil
      } catch {
        return error.description
      }
    }
    let varint: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
    let column: [UInt8] = [1, UInt8(ascii: "n"), 5] + Array("UInt8".utf8)
    let damaged = "its blocks are truncated or damaged"
    #expect(refusal([1] + varint + column + [1]) == damaged)
    #expect(refusal([1] + varint + [0x01] + column + [1]) == damaged)
    #expect(refusal(varint + [1] + column + [1])?.contains("different columns") == true)
    #expect(refusal([0, 1]) != nil && refusal([0x80]) == damaged && refusal(varint) == damaged)
    #expect(refusal([1, 1, 1, UInt8(ascii: "n")] + varint) == damaged)
    let array: [UInt8] = [1, UInt8(ascii: "n"), 12] + Array("Array(UInt8)".utf8)
    #expect(refusal([1, 1] + array + [UInt8](repeating: 0xFF, count: 8)) == damaged)
    #expect(refusal([1, 2] + array + [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]) == damaged)
    let nested = String(repeating: "Array(", count: 40) + "UInt8" + String(repeating: ")", count: 40)
    #expect(
      refusal([1, 1, 1, UInt8(ascii: "n"), 0x9D, 0x02] + Array(nested.utf8))?.contains("unsupported type") == true)
    let other = NativeBlock([.init("m", .integers(.uInt8, [1]))]).encoded()
    #expect(refusal([1, 1] + column + [1] + other)?.contains("different columns") == true)
    // Seventy million bytes would be as many integers of 64 bits.
    let many: [UInt8] = [1, 0x80, 0xBB, 0xB0, 0x21]
    #expect(refusal(many + column + [UInt8](repeating: 1, count: 70_000_000))?.contains("512 MiB") == true)
  }

  @Test("a Native block with an unsupported type gives an error with column and type")
  func unknownType() throws {
    let bytes: [UInt8] = [1, 1, 1, UInt8(ascii: "x"), 8] + Array("DateTime".utf8) + [0, 0, 0, 0]
    let error = #expect(throws: NativeBlock.Unreadable.self) { try NativeBlock(decoding: bytes) }
    #expect(error?.description == "the column x has the unsupported type DateTime")
  }
}
