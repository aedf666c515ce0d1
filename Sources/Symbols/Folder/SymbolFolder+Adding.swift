public import Core

extension SymbolFolder {
  /// Stores the symbols in `file`: a Mach-O file with debug information, thin or fat, or a zip archive that contains
  /// such files. `name` is the upload's file name. Refused files are listed in the receipt with the reason and do not
  /// stop the others. Throws `SymbolFolderError` if the disk is full or faulty.
  ///
  /// `isSystem`: whether the file is a system library. Its symbol table is used if it has no debug information.
  public func add(
    _ file: OpenFile, named name: String, isSystem: Bool = false, at now: Timestamp
  ) throws -> SymbolReceipt {
    var room = Self.mostUnpacked
    return try add(file, named: name, isSystem: isSystem, at: now, room: &room)
  }

  /// Stores symbols like `add(_:named:isSystem:at:)`. `room`: the number of bytes to which archives may decompress; it
  /// is reduced by those that are decompressed. `written`: the temporary file behind `file`, which is moved into the
  /// folder if it is one binary.
  public func add(
    _ file: OpenFile, named name: String, isSystem: Bool = false, at now: Timestamp, room: inout Int,
    written: TemporaryFile? = nil
  ) throws -> SymbolReceipt {
    let start = file.bytes(0..<min(4, file.count)) ?? []
    if !isSystem, ZipArchive.isPossible(start) { return try addArchive(file, named: name, at: now, &room) }
    var receipt = SymbolReceipt()
    let upload = Upload(
      file: file, written: written, name: name, path: UploadedFileName.kept(name), isMeant: true, isSystem: isSystem)
    try add(upload, at: now, to: &receipt)
    return receipt
  }

  /// The maximum number of bytes to which an upload of `size` bytes may decompress, with any format and nesting. DWARF
  /// compresses to a third or a fifth.
  public static func mostUnpacked(from size: Int) -> Int {
    let (most, overflow) = size.multipliedReportingOverflow(by: 100)
    return min(mostUnpacked, overflow ? mostUnpacked : max(16 << 20, most))
  }

  /// Decompresses an upload to at most `limit` bytes into a temporary file.
  public func unpacked(_ file: OpenFile, _ coding: ContentCoding, limit: Int) throws -> OpenFile {
    try unpack(file, coding, limit: limit).reopened()
  }

  /// Decompresses like `unpacked`, for a file that may itself be stored.
  public func unpack(_ file: OpenFile, _ coding: ContentCoding, limit: Int) throws -> TemporaryFile {
    guard let mapped = MappedFile(file) else { throw CompressionError(.truncated, "The \(coding) data is empty.") }
    let plain = try temporary()
    try Compression.decompress(mapped.bytes, coding, limit: limit) { piece in
      try plain.append(piece)
      return true
    }
    return plain
  }

  /// The maximum number of bytes to which any archive may decompress.
  static let mostUnpacked = 16 << 30

  /// The size in bytes and the compression ratio from which an entry is refused as a zip bomb.
  private static let suspicious: (size: UInt64, ratio: UInt64) = (64 << 20, 100)

  private func addArchive(
    _ file: OpenFile, named name: String, at now: Timestamp, _ room: inout Int
  ) throws -> SymbolReceipt {
    var receipt = SymbolReceipt()
    do {
      let archive = try ZipArchive(file)
      guard archive.entries.contains(where: \.isFile) else { throw ZipProblem("the zip archive is empty") }
      var inner: [String] = []
      let most = room
      for entry in archive.entries where entry.isFile {
        do {
          if try add(entry, of: archive, at: now, most, &room, to: &receipt) == .archive { inner.append(entry.name) }
        } catch let problem as ZipProblem {
          receipt.refuse(entry.name, problem.description)
        } catch let error as CompressionError {
          receipt.refuse(entry.name, error.description)
        }
      }
      // Zip archives inside an app bundle are not reported.
      let isNothing = !receipt.holdsSymbols
      for name in inner where isNothing || name.lowercased().contains("dsym") {
        receipt.refuse(name, "it is a zip within a zip, which is not read: upload it separately")
      }
      if isNothing, receipt.refused.isEmpty {
        throw ZipProblem("the zip archive holds no dSYM: no file in it has debug information")
      }
    } catch let problem as ZipProblem {
      receipt.refuse(UploadedFileName.kept(name), problem.description)
    }
    return receipt
  }

  private enum EntryKind { case archive, other }

  private func add(
    _ entry: ZipEntry, of archive: ZipArchive, at now: Timestamp, _ most: Int, _ room: inout Int,
    to receipt: inout SymbolReceipt
  ) throws -> EntryKind {
    if entry.isOutside { throw ZipProblem("its path leads out of the archive") }
    var start: [UInt8] = []
    try archive.read(entry) { piece in
      start = Array(piece.prefix(4))
      return false
    }
    // Property lists, images and other files of an app's archive are skipped.
    let isMeant = DebugSymbolPath.isMeant(entry.name)
    guard MachOReader.isPossible(start) || isMeant else { return ZipArchive.isPossible(start) ? .archive : .other }
    guard entry.size <= UInt64(max(0, room)) else { throw ZipProblem("the archive unpacks to more than \(most) bytes") }
    let isBomb = entry.size >= Self.suspicious.size && entry.size / max(1, entry.packedSize) > Self.suspicious.ratio
    if isBomb { throw ZipProblem("it unpacks to \(entry.size) bytes from only \(entry.packedSize)") }
    room -= Int(entry.size)
    let unpacked = try temporary()
    try archive.read(entry) { piece in
      try unpacked.append(piece)
      return true
    }
    let upload = Upload(
      file: try unpacked.reopened(), written: unpacked, name: entry.baseName, path: entry.name, isMeant: isMeant,
      isSystem: false)
    try add(upload, at: now, to: &receipt)
    return .other
  }

  /// One file of an upload.
  private struct Upload {
    let file: OpenFile
    /// The temporary file behind `file`; nil if it is the client's file.
    let written: TemporaryFile?
    let name: String
    /// The path in messages.
    let path: String
    /// Whether it is at the location of symbols in a dSYM, or the only file. It is then an error if it has no symbols.
    let isMeant: Bool
    let isSystem: Bool
  }

  /// Stores the symbols of one file.
  private func add(_ upload: Upload, at now: Timestamp, to receipt: inout SymbolReceipt) throws {
    let images: [MachOImage]
    do throws(MachOProblem) {
      images = try MachOReader.images(in: upload.file)
    } catch {
      // Java class files start with the same bytes as fat Mach-O files.
      if upload.isMeant || error != .notMachO { receipt.refuse(upload.path, error.description) }
      return
    }
    let useful = images.filter { $0.isUseful || (upload.isSystem && $0.hasSymbolTable) }
    for image in useful { try keep(image, of: upload, now, &receipt) }
    guard useful.isEmpty else { return }
    receipt.withoutSymbols += 1
    if upload.isMeant {
      receipt.refuse(
        upload.path, upload.isSystem ? "it has no symbols" : "it has no debug information: upload its dSYM")
    }
  }

  private func keep(
    _ image: MachOImage, of upload: Upload, _ now: Timestamp, _ receipt: inout SymbolReceipt
  ) throws {
    let (file, isSystem) = (upload.file, upload.isSystem)
    if let known = symbols(uuid: image.uuid), known.trouble == nil {
      // Uploading a system library does not change that a binary belongs to the app.
      let isKept = isSystem && !known.isSystem
      if isKept || (known.isSystem == isSystem && isStored(known, as: file, image.range)) {
        return receipt.known.append(known)
      }
    }
    let copy: TemporaryFile
    if let written = upload.written, image.range == 0..<file.count {
      // The file is moved instead of copied: it has one image, and nothing else reads it by its name.
      copy = written
    } else {
      copy = try temporary()
      guard try copy.append(file, image.range) else {
        return receipt.refuse(UploadedFileName.kept(upload.name), "it cannot be read completely")
      }
    }
    let symbols = StoredSymbols(
      uuid: image.uuid, name: UploadedFileName.kept(upload.name), architecture: image.architecture,
      size: image.range.count,
      textAddress: image.textAddress, code: image.code, uploaded: now, used: now,
      isSystem: isSystem)
    switch try keep(symbols, copy) {
    case .new: receipt.stored.append(symbols)
    case .replaced: receipt.replaced.append(symbols)
    }
  }

  /// Whether the stored file has the same bytes as the upload.
  private func isStored(_ known: StoredSymbols, as file: OpenFile, _ range: Range<Int>) -> Bool {
    guard known.size == range.count, let stored = OpenFile(path: path(of: known.uuid), followsLinks: false) else {
      return false
    }
    for start in stride(from: 0, to: range.count, by: 1 << 20) {
      let piece = start..<min(start + 1 << 20, range.count)
      guard let old = stored.bytes(piece),
        old == file.bytes(range.lowerBound + piece.lowerBound..<range.lowerBound + piece.upperBound)
      else { return false }
    }
    return true
  }
}

extension TemporaryFile {
  /// Copies a part of another file; returns false if that file ends too early.
  fileprivate func append(_ file: OpenFile, _ range: Range<Int>) throws -> Bool {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
      guard let piece = file.bytes(start..<min(start + 1 << 20, range.upperBound)) else { return false }
      try piece.withUnsafeBytes { try append($0) }
    }
    return true
  }
}
