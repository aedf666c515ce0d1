internal import Core

/// A zip archive (PKWARE's APPNOTE 6.3.10) with 64-bit sizes. Its directory is read from the end of the file, so
/// archives that were written to a pipe can also be read.
struct ZipArchive {
  let entries: [ZipEntry]
  private let file: OpenFile
  private let mapped: MappedFile

  /// Whether a file starts like a zip archive, which may be empty.
  static func isPossible(_ start: some Sequence<UInt8>) -> Bool {
    [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]].contains(Array(start.prefix(4)))
  }

  init(_ file: OpenFile) throws(ZipProblem) {
    guard let mapped = MappedFile(file) else { throw ZipProblem("the archive cannot be read") }
    self.file = file
    self.mapped = mapped
    entries = try ZipDirectoryReader(file).entries()
  }

  /// Passes the content of an entry to `take` in pieces, and checks its size and checksum. `take` returns false to stop
  /// early.
  func read(_ entry: ZipEntry, _ take: (UnsafeRawBufferPointer) throws -> Bool) throws {
    if entry.isEncrypted { throw ZipProblem("it is encrypted") }
    let packed = try bytes(of: entry)
    var sum: UInt32 = 0
    var size: UInt64 = 0
    var isWhole = true
    func check(_ piece: UnsafeRawBufferPointer) throws -> Bool {
      sum = Compression.crc32(piece, after: sum)
      size += UInt64(piece.count)
      isWhole = try take(piece)
      return isWhole
    }
    switch entry.method {
    case .stored:
      for start in stride(from: 0, to: packed.count, by: Self.pieceSize) where isWhole {
        _ = try check(UnsafeRawBufferPointer(rebasing: packed[start..<min(start + Self.pieceSize, packed.count)]))
      }
    case .deflated: try Compression.inflate(packed, limit: Int(clamping: entry.size), pieces: check)
    case .other(let number): throw ZipProblem("it uses compression method \(number); expected stored or deflate")
    }
    guard !isWhole || (size == entry.size && sum == entry.sum) else {
      throw ZipProblem("it is damaged: its size or checksum differs from the archive's directory")
    }
  }

  private static let pieceSize = 1 << 20

  /// The compressed bytes. They follow the local header, whose name and extra field may have other lengths than in the
  /// directory.
  private func bytes(of entry: ZipEntry) throws(ZipProblem) -> UnsafeRawBufferPointer {
    guard let header = file.bytes(at: entry.header, 30).map(LittleEndianBytes.init), header.word(0) == 0x0403_4B50
    else { throw ZipProblem("its header is not at the offset in the archive's directory") }
    // The header was read at this offset, so the sum cannot overflow.
    let start = entry.header + 30 + UInt64(header.short(26)) + UInt64(header.short(28))
    let (end, over) = start.addingReportingOverflow(entry.packedSize)
    guard !over, end <= UInt64(file.count) else { throw ZipProblem("it extends beyond the end of the archive") }
    return UnsafeRawBufferPointer(rebasing: mapped.bytes[Int(start)..<Int(end)])
  }
}

/// The error for an archive, or a file in it, that cannot be read.
struct ZipProblem: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
