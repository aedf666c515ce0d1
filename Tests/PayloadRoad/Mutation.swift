import TestSupport

/// Damage as networks and clients do it, and worse: bytes flipped, lost, doubled, cut off, and values of another kind in
/// place of what is there. The same for the same seed.
public struct Mutation {
  private var random: SeededRandom

  private static let tokens: [[UInt8]] = [
    "null", "true", "[]", "{}", "\"\"", "-1", "0", "1e308", "-1e-308", "-9223372036854775808", "9223372036854775807",
    "18446744073709551615", "99999999999999999999999", "0.0001", "\"x\"", "\"9,9,9 ms\"", "\"٣ ms\"", "[[]]",
    "1e15", "1000000000000", "1000000000001", "1e12", "9007199254740993", "4503599627370496", "{\"a\":1}",
    "\"\\ud83d\\ude00\"", "\"NaN\"", "\"Infinity\"", "\u{FEFF}", "\n", "\0",
  ].map { Array($0.utf8) }

  /// Numbers at the ends of what varints, fixed numbers and doubles hold, in bytes.
  private static let binary: [[UInt8]] = [
    [0], [1], [0x7F], [0xFF, 0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [UInt8](repeating: 0xFF, count: 9) + [0x01],
    [UInt8](repeating: 0xFF, count: 8) + [0x7F], [0, 0, 0, 0, 0, 0, 0xF0, 0x7F], [0, 0, 0, 0, 0, 0, 0xF8, 0xFF],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xEF, 0x7F], [UInt8](repeating: 0xFF, count: 8), [0, 0, 0, 0, 0, 0, 0, 0x80],
    [0, 0, 0xA0, 0xD8, 0x85, 0x57, 0x34, 0x76], [0x01, 0, 0, 0, 0, 0, 0, 0, 0xC3],
  ]

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Mutates all but the first byte, at times with parts of another input.
  public mutating func mutate(_ original: [UInt8], with other: [UInt8]) -> [UInt8] {
    var bytes = Array(original.dropFirst())
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: mutate(&bytes)
      case 6: bytes.insert(contentsOf: other[run(other)], at: index(bytes))
      case 7: bytes.insert(contentsOf: Self.binary.randomElement(using: &random) ?? [], at: index(bytes))
      case 8:
        let number = Self.binary.randomElement(using: &random) ?? []
        let start = index(bytes)
        bytes.replaceSubrange(start..<min(bytes.count, start + number.count), with: number)
      default:
        // A member or element over and over, as sums need it.
        let part = bytes[run(bytes)]
        for _ in 0..<Int.random(in: 2...20, using: &random) { bytes.insert(contentsOf: part, at: part.startIndex) }
      }
    }
    return [original[0]] + bytes.prefix(1 << 14)
  }

  public mutating func mutate(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
    case 1: bytes[index(bytes)] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes[index(bytes)] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 3: bytes.removeSubrange(run(bytes))
    case 4: bytes.insert(contentsOf: bytes[run(bytes)], at: index(bytes))
    case 5: bytes.insert(contentsOf: Self.tokens.randomElement(using: &random) ?? [], at: index(bytes))
    default: replaceValue(&bytes)
    }
  }

  /// From a place behind a colon, bracket or comma to the next comma or bracket.
  private mutating func replaceValue(_ bytes: inout [UInt8]) {
    let from = index(bytes)
    guard let before = bytes[from...].firstIndex(where: { ":,[".utf8.contains($0) }) else { return }
    let start = before + 1
    let end = bytes[start...].firstIndex { ",}]\n".utf8.contains($0) } ?? bytes.count
    bytes.replaceSubrange(start..<end, with: Self.tokens.randomElement(using: &random) ?? [])
  }

  private mutating func index(_ bytes: [UInt8]) -> Int { Int.random(in: 0..<bytes.count, using: &random) }

  private mutating func run(_ bytes: [UInt8]) -> Range<Int> {
    let start = index(bytes)
    return start..<min(bytes.count, start + Int.random(in: 1...60, using: &random))
  }
}
