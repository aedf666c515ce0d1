public import Foundation

/// Compressed zeros, written without ever holding them: little input that wants much memory.
public enum Bomb {
  /// Deflate (RFC 1951 §3.2.6) with fixed codes: a zero, then copies of 258 zeros. It has no end. `packedSize` is that
  /// of the bomb; the output is 158 times larger.
  public static func rawDeflate(packedSize: Int) -> Data {
    var bits = Bits()
    bits.append(0b011, count: 3)  // the last block, fixed codes
    bits.append(0b0000_1100, count: 8)  // the code of 0, 00110000, from its high bit
    var data = Data()
    while data.count < packedSize {
      bits.append(0b1010_0011, count: 8)  // length 258: 11000101, from its high bit
      bits.append(0, count: 5)  // distance 1
      bits.move(to: &data)
    }
    return data
  }

  /// RFC 1950.
  public static func zlib(packedSize: Int) -> Data { Data([0x78, 0x9C]) + rawDeflate(packedSize: packedSize) }

  /// RFC 1952.
  public static func gzip(packedSize: Int) -> Data {
    Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]) + rawDeflate(packedSize: packedSize)
  }

  /// RFC 8878 §3.1.1: blocks of 128 KiB that repeat one byte, a window of 1 MiB. Whole.
  public static func zstd(blocks: Int) -> Data {
    var data = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50])
    for block in 1...blocks {
      let header = (131_072 << 3) | (1 << 1) | (block == blocks ? 1 : 0)
      data.append(contentsOf: [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0])
    }
    return data
  }

  /// 1 GiB as brotli's own encoder writes it, quality 9, window 16 MiB: the same 128 MiB eight times,
  /// between a beginning and an end. Whole.
  public static let brotli: Data = {
    let middle = """
      7//5//8PgARAHBaA7v0/////AZAAiMMC0L3/5///PwASAHFYALr3//z//wdAAiAOC0D3/p////8ASADEYQHo3v/z//8fAAmAOCwA3ft//v//AyAB\
      EIcFoHv/z///fwAkAOKwAHQ=
      """
    let end = """
      7//5//8PgARAHBaA7v0/////AZAAiMMC0L3/5///PwASAHFYALr3//z//wdAAiAOC0D3/p////8ASADEYQHo3v/z//8fAAmAOCwA3ft//v//AyAB\
      EIcFoHv/Pw==
      """
    let beginning = Data(base64Encoded: "z///fwAkAOKxQHI=") ?? Data()
    let repeated = Data(base64Encoded: middle) ?? Data()
    return (0..<7).reduce(into: beginning) { data, _ in data += repeated } + (Data(base64Encoded: end) ?? Data())
  }()
}

/// Bits in deflate's order: the first is the lowest of its byte.
private struct Bits {
  private var waiting: UInt32 = 0
  private var count: UInt32 = 0

  mutating func append(_ bits: UInt32, count: UInt32) {
    waiting |= bits << self.count
    self.count += count
  }

  mutating func move(to data: inout Data) {
    while count >= 8 {
      data.append(UInt8(waiting & 255))
      waiting >>= 8
      count -= 8
    }
  }
}
