import Foundation

/// Writes files into a tar archive (POSIX.1-1988 `ustar`; sizes beyond 8 GiB in base 256, as in GNU tar).
struct TarWriter: ~Copyable {
  private let output: FileHandle

  init(_ output: FileHandle) { self.output = output }

  /// Begins a file. Exactly `size` bytes must follow through `write`, then `end`.
  func begin(_ name: String, size: Int, modified: Int) throws {
    try output.write(contentsOf: TarHeader(name: name, size: size, modified: modified).encoded())
  }

  func write(_ bytes: Data) throws { try output.write(contentsOf: bytes) }

  /// Ends a file of `size` bytes.
  func end(size: Int) throws { try output.write(contentsOf: Data(count: TarHeader.padding(size))) }

  /// Ends the archive.
  func close() throws { try output.write(contentsOf: Data(count: 2 * TarHeader.length)) }
}

/// Reads the files of a tar archive in order.
struct TarReader {
  private let input: FileHandle
  private let path: String
  /// The bytes of the archive.
  private let length: UInt64
  private var left = 0
  private var padding = 0

  /// `path`: the archive's path, for errors.
  init(_ input: FileHandle, path: String) throws {
    (self.input, self.path) = (input, path)
    length = try input.seekToEnd()
    try input.seek(toOffset: 0)
  }

  private var cutOff: BackupError { BackupError("\(path) is not a .tar file, or is truncated. Use another backup.") }

  /// The name and size of the next file; nil at the end of the archive. Skips the unread rest of the previous file.
  mutating func next() throws -> (name: String, size: Int)? {
    if left + padding > 0 { try input.seek(toOffset: input.offset() + UInt64(left + padding)) }
    let bytes = try input.read(upToCount: TarHeader.length) ?? Data()
    guard bytes.count == TarHeader.length else { throw cutOff }
    if bytes.allSatisfy({ $0 == 0 }) { return nil }
    let header = try TarHeader(bytes)
    // A size beyond the end of the archive is an error.
    guard try UInt64(header.size) <= length - min(length, input.offset()) else { throw cutOff }
    (left, padding) = (header.size, TarHeader.padding(header.size))
    return (header.name, header.size)
  }

  /// The next bytes of the file; nil at its end.
  mutating func read() throws -> Data? {
    guard left > 0 else { return nil }
    let bytes = try input.read(upToCount: min(left, 1 << 20)) ?? Data()
    guard !bytes.isEmpty else { throw cutOff }
    left -= bytes.count
    return bytes
  }
}

/// The 512-byte block before each file of an archive.
private struct TarHeader {
  let name: String
  let size: Int
  let modified: Int

  static let length = 512

  /// The number of zeros that fill the last block of a file.
  static func padding(_ size: Int) -> Int { (length - size % length) % length }

  init(name: String, size: Int, modified: Int) {
    (self.name, self.size, self.modified) = (name, size, modified)
  }

  /// Reads the header of a regular file. Throws for anything else, and for a wrong checksum.
  init(_ bytes: Data) throws {
    let block = [UInt8](bytes)
    let sum = Self.octal(block[148..<156])
    guard sum == Self.checksum(block), block[156] == UInt8(ascii: "0") || block[156] == 0 else {
      throw BackupError("The archive is damaged, or was not created by `plumb backup`. Use another backup.")
    }
    let prefix = String(decoding: block[345..<500].prefix { $0 != 0 }, as: UTF8.self)
    let last = String(decoding: block[0..<100].prefix { $0 != 0 }, as: UTF8.self)
    name = prefix.isEmpty ? last : prefix + "/" + last
    // In base 256, the first bit is set, and a size fits in the last eight bytes.
    size =
      block[124] & 0x80 == 0
      ? Self.octal(block[124..<136])
      : Int(truncatingIfNeeded: block[128..<136].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    modified = Self.octal(block[136..<148])
    guard size >= 0 else { throw BackupError("The archive is damaged. Use another backup.") }
  }

  func encoded() throws -> Data {
    // A long name is split at its last slash.
    var (prefix, last) = ("", name)
    if name.utf8.count > 100, let slash = name.lastIndex(of: "/") {
      (prefix, last) = (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }
    guard prefix.utf8.count <= 155, last.utf8.count <= 100 else {
      throw BackupError("The name \(name) is too long for a .tar file. Back up to a folder instead.")
    }
    var block = [UInt8](repeating: 0, count: Self.length)
    func put(_ bytes: some Collection<UInt8>, at start: Int) {
      for (index, byte) in bytes.enumerated() { block[start + index] = byte }
    }
    put(last.utf8, at: 0)
    put(prefix.utf8, at: 345)
    put(Self.octal(0o600, digits: 7), at: 100)
    put(Self.octal(0, digits: 7), at: 108)
    put(Self.octal(0, digits: 7), at: 116)
    if size < 1 << 33 {
      put(Self.octal(size, digits: 11), at: 124)
    } else {
      put([0x80, 0, 0, 0] + withUnsafeBytes(of: UInt64(size).bigEndian, Array.init), at: 124)
    }
    put(Self.octal(max(0, modified), digits: 11), at: 136)
    block[156] = UInt8(ascii: "0")
    put("ustar\u{0}00".utf8, at: 257)
    put(Self.octal(Self.checksum(block), digits: 6) + [0, UInt8(ascii: " ")], at: 148)
    return Data(block)
  }

  /// The sum of the bytes, with spaces in place of the checksum.
  private static func checksum(_ block: [UInt8]) -> Int {
    block.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(block[$1])) }
  }

  private static func octal(_ number: Int, digits: Int) -> [UInt8] {
    let text = String(number, radix: 8)
    return Array((String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8.suffix(digits))
  }

  private static func octal(_ bytes: ArraySlice<UInt8>) -> Int {
    let digits = bytes.prefix { $0 != 0 && $0 != 32 }
    guard digits.allSatisfy({ (48...55).contains($0) }) else { return -1 }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8) ?? -1
  }
}
