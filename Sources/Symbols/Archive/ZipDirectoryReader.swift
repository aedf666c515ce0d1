/// A reader of a zip archive's central directory, the list of files at its end.
struct ZipDirectoryReader<File: RandomAccessBytes> {
  private let file: File

  init(_ file: File) { self.file = file }

  /// The maximum number of files in an archive. An app's archive has some hundreds.
  static var mostEntries: UInt64 { 50_000 }
  /// The maximum size of an archive's directory, in bytes.
  private static var mostBytes: UInt64 { 64 << 20 }

  func entries() throws(ZipProblem) -> [ZipEntry] {
    let (number, offset, size) = try locateList()
    guard number <= Self.mostEntries, size <= Self.mostBytes else {
      throw ZipProblem("the archive lists \(number) files; the limit is \(Self.mostEntries)")
    }
    guard let list = file.bytes(at: offset, size).map(LittleEndianBytes.init) else {
      throw ZipProblem("the archive's directory is not within the archive")
    }
    var entries: [ZipEntry] = []
    var at = 0
    for _ in 0..<number {
      guard at + 46 <= list.count, list.word(at) == 0x0201_4B50 else { throw Self.damaged }
      let lengths = [28, 30, 32].map { Int(list.short(at + $0)) }
      let length = 46 + lengths.reduce(0, +)
      guard length <= list.count - at else { throw Self.damaged }
      entries.append(Self.entry(list.part(at, length), nameLength: lengths[0], extraLength: lengths[1]))
      at += length
    }
    return entries
  }

  private static var damaged: ZipProblem { ZipProblem("the archive's directory is damaged") }

  /// The number of entries, and the offset and size of the directory.
  private func locateList() throws(ZipProblem) -> (number: UInt64, offset: UInt64, size: UInt64) {
    // A comment of up to 65,535 bytes may follow.
    let size = min(file.count, 22 + 65_535)
    let start = file.count - size
    guard size >= 22, let tail = file.bytes(start..<file.count).map(LittleEndianBytes.init) else {
      throw ZipProblem("this is not a zip archive, or it is truncated")
    }
    for at in stride(from: size - 22, through: 0, by: -1)
    where tail.word(at) == 0x0605_4B50 && Int(tail.short(at + 20)) == size - 22 - at {
      if let wide = try locate64BitList(before: start + at) { return wide }
      return (UInt64(tail.short(at + 10)), UInt64(tail.word(at + 16)), UInt64(tail.word(at + 12)))
    }
    throw ZipProblem("the end of the archive is missing: it may be truncated")
  }

  /// The number, offset and size from the 64-bit record, if its locator precedes `end`; nil otherwise.
  private func locate64BitList(before end: Int) throws(ZipProblem) -> (number: UInt64, offset: UInt64, size: UInt64)? {
    guard end >= 20, let locator = file.bytes(end - 20..<end).map(LittleEndianBytes.init),
      locator.word(0) == 0x0706_4B50
    else { return nil }
    guard let record = file.bytes(at: locator.wide(8), 56).map(LittleEndianBytes.init), record.word(0) == 0x0606_4B50
    else { throw Self.damaged }
    return (record.wide(32), record.wide(48), record.wide(40))
  }

  private static func entry(_ record: LittleEndianBytes, nameLength: Int, extraLength: Int) -> ZipEntry {
    let name = String(decoding: record.part(46, nameLength).bytes, as: UTF8.self)
    let mode = record.word(38) >> 16
    // In archives made on Unix (3) or macOS (19), the mode 0xA000 means a symbolic link.
    let isLink = [3, 19].contains(record.short(4) >> 8) && mode & 0xF000 == 0xA000
    let number = Int(record.short(10))
    var entry = ZipEntry(
      name: name, method: number == 0 ? .stored : number == 8 ? .deflated : .other(number),
      isEncrypted: record.short(8) & 1 != 0, isFile: !isLink && name.utf8.last != UInt8(ascii: "/"),
      sum: record.word(16), packedSize: UInt64(record.word(20)), size: UInt64(record.word(24)),
      header: UInt64(record.word(42)))
    widen(&entry, record.part(46 + nameLength, extraLength))
    return entry
  }

  /// Replaces sizes and offset with those of the 64-bit extra field if they did not fit into 32 bits.
  private static func widen(_ entry: inout ZipEntry, _ extra: LittleEndianBytes) {
    var at = 0
    while at + 4 <= extra.count {
      let length = Int(extra.short(at + 2))
      guard length <= extra.count - at - 4 else { return }
      if extra.short(at) == 1 {
        var rest = extra.part(at + 4, length)
        for field in [\ZipEntry.size, \.packedSize, \.header] where entry[keyPath: field] == 0xFFFF_FFFF {
          guard rest.count >= 8 else { return }
          entry[keyPath: field] = rest.wide(0)
          rest = rest.part(8, rest.count - 8)
        }
      }
      at += 4 + length
    }
  }
}
