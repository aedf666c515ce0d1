internal import Core
internal import Glibc

/// The paths of a symbol folder's files: `symbols/4C/4C4C….macho` with its metadata in `4C4C….json`.
struct SymbolFolderFiles: Sendable {
  let path: String

  init(creating path: String) throws(SymbolFolderError) {
    self.path = path
    for folder in [path, path + "/incoming"] {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SymbolFolderError("cannot create", folder) }
    }
  }

  var changes: String { path + "/changes" }

  func symbols(_ uuid: String) -> String { folder(uuid) + "/" + uuid + ".macho" }
  func side(_ uuid: String) -> String { folder(uuid) + "/" + uuid + ".json" }
  private func folder(_ uuid: String) -> String { path + "/" + uuid.prefix(2) }

  /// Creates a temporary file. `place` gives it its final name; otherwise it is deleted.
  func temporary() throws(SymbolFolderError) -> TemporaryFile { try TemporaryFile(in: path + "/incoming") }

  /// Writes the metadata of `file`, then renames it atomically to its final name.
  func place(_ file: TemporaryFile, as uuid: String, _ side: [UInt8]) throws {
    let folder = folder(uuid)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SymbolFolderError("cannot create", folder) }
    try write(side, of: uuid)
    try file.rename(to: symbols(uuid))
  }

  func write(_ bytes: [UInt8], of uuid: String) throws {
    let file = try temporary()
    try bytes.withUnsafeBytes { try file.append($0) }
    try file.rename(to: side(uuid))
  }

  func remove(_ uuid: String) {
    unlink(symbols(uuid))
    unlink(side(uuid))
  }

  /// Stores the time of last use as the modification time of the symbols' file.
  func markUsed(_ uuid: String, at time: Timestamp) {
    let stamp = timespec(tv_sec: Int(time.milliseconds / 1000), tv_nsec: 0)
    let times = [stamp, stamp]
    utimensat(AT_FDCWD, symbols(uuid), times, 0)
  }

  /// Deletes temporary files older than a day, which a killed process left behind. No upload takes that long.
  func clearIncoming() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    for name in Self.names(in: path + "/incoming") {
      var status = stat()
      let path = path + "/incoming/" + name
      if lstat(path, &status) == 0, now.tv_sec - status.st_mtim.tv_sec > 86_400 { unlink(path) }
    }
  }

  /// All stored symbols. Missing metadata is replaced by the file's own header.
  func all() -> [StoredSymbols] {
    Self.names(in: path).filter { $0.utf8.count == 2 }.flatMap { part in
      Self.names(in: path + "/" + part).compactMap { name in
        guard name.hasSuffix(".macho"), let uuid = UUIDText.canonical(name.dropLast(6)) else { return nil }
        return read(uuid)
      }
    }
  }

  private func read(_ uuid: String) -> StoredSymbols? {
    var status = stat()
    guard let file = OpenFile(path: symbols(uuid), followsLinks: false), fstat(file.descriptor, &status) == 0 else {
      return nil
    }
    let used = Timestamp(milliseconds: Int64(status.st_mtim.tv_sec) * 1000)
    if let side = OpenFile(path: side(uuid)), side.count < 1 << 20, let bytes = side.bytes(0..<side.count),
      let known = SymbolMetadata.decode(bytes)
    {
      return known.symbols(uuid: uuid, size: file.count, used: used)
    }
    guard let image = try? MachOReader.images(in: file).first, image.uuid == uuid else { return nil }
    return StoredSymbols(
      uuid: uuid, name: "", architecture: image.architecture, size: file.count, textAddress: image.textAddress,
      code: image.code, uploaded: used, used: used)
  }

  /// The names in a folder, sorted; empty if it does not exist.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
