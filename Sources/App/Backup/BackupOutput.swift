import Core
import Foundation
import SQLiteStore

/// The output of a backup: a folder or one tar file, which gets its final name only when it is complete.
protocol BackupOutput: AnyObject {
  /// A folder on the same disk for copies of databases.
  var scratch: String { get }

  /// Adds the file at `source` under a name below the folder. `isScratch`: whether it is in `scratch` and may be moved.
  func add(_ source: String, as name: String, isScratch: Bool) throws -> BackupManifest.Entry

  /// Adds the manifest, and syncs everything to disk.
  func finish(_ manifest: BackupManifest) throws

  /// Renames the backup to its final name. Replaces an earlier backup of this name.
  func publish() throws

  /// Deletes the written files.
  func discard()

  /// The backup before it is published.
  var written: BackupReader { get throws }

  /// The files that were already read back.
  var verified: Set<String> { get }

  /// How many copies of a database are on the disk while the backup is made.
  var copies: Int { get }

  /// The disk space in bytes that a file of `size` bytes needs.
  func bytesNeeded(for name: String, size: Int) -> Int
}

/// A backup in a folder. Unchanged symbols of the previous backup are linked, not copied.
final class BackupFolderOutput: BackupOutput {
  private let target: String
  private let partial: String
  private let known: [String: BackupManifest.Entry]
  private let files = FileManager.default
  private(set) var verified: Set<String> = []

  /// `target` must be missing, an empty folder, or a backup.
  init(_ target: String) throws {
    self.target = target
    partial = target + ".partial"
    var known: [String: BackupManifest.Entry] = [:]
    if files.fileExists(atPath: target) {
      if let manifest = try? BackupReader(target).manifest() {
        known = Dictionary(manifest.files.map { ($0.path, $0) }) { first, _ in first }
      } else if try !files.contentsOfDirectory(atPath: target).isEmpty {
        throw BackupError("--to: \(target) contains files that are not a backup. Choose a new folder.")
      }
    }
    self.known = known
    // Removes the files of a killed backup.
    if files.fileExists(atPath: partial) { try files.removeItem(atPath: partial) }
    try files.createDirectory(
      atPath: partial, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  var scratch: String { partial }
  var copies: Int { 1 }

  func bytesNeeded(for name: String, size: Int) -> Int { known[name]?.size == size ? 0 : size }

  func add(_ source: String, as name: String, isScratch: Bool) throws -> BackupManifest.Entry {
    let path = partial + "/" + name
    let status = try FileStatus(source)
    if isScratch {
      return BackupManifest.Entry(
        path: name, size: status.size, sha256: try FileChecksum.sha256(path), modified: status.modified)
    }
    try files.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    if var same = try unchanged(source, status, name), link(target + "/" + name, path) == 0 {
      if try FileChecksum.sha256(path) == same.sha256 {
        verified.insert(name)
        // The modification time of symbols is their last use.
        same.modified = status.modified
        return same
      }
      try files.removeItem(atPath: path)
    }
    let (size, sha256) = try FileChecksum.copy(source, to: path)
    return BackupManifest.Entry(path: name, size: size, sha256: sha256, modified: status.modified)
  }

  /// The entry of the previous backup if the file has the same bytes.
  private func unchanged(_ source: String, _ status: FileStatus, _ name: String) throws -> BackupManifest.Entry? {
    guard let same = known[name], same.size == status.size else { return nil }
    return try same.modified == status.modified || same.sha256 == FileChecksum.sha256(source) ? same : nil
  }

  func finish(_ manifest: BackupManifest) throws {
    let path = partial + "/" + BackupManifest.fileName
    try manifest.encoded().write(to: URL(fileURLWithPath: path))
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try DurableFile.sync(path)
    try DurableFile.sync(partial)
  }

  func publish() throws {
    let previous = target + ".previous"
    if files.fileExists(atPath: previous) { try files.removeItem(atPath: previous) }
    let isReplacing = files.fileExists(atPath: target)
    if isReplacing { try files.moveItem(atPath: target, toPath: previous) }
    try files.moveItem(atPath: partial, toPath: target)
    try DurableFile.sync(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    if isReplacing { try files.removeItem(atPath: previous) }
  }

  func discard() { try? files.removeItem(atPath: partial) }

  var written: BackupReader { get throws { try BackupReader(partial) } }
}

/// A backup in one tar file.
final class BackupTarOutput: BackupOutput {
  private let target: String
  private let partial: String
  private let handle: FileHandle
  private let writer: TarWriter
  private let files = FileManager.default
  let scratch: String
  let verified: Set<String> = []
  let copies = 2

  func bytesNeeded(for name: String, size: Int) -> Int { size }

  init(_ target: String) throws {
    self.target = target
    partial = target + ".partial"
    scratch = target + ".scratch"
    if files.fileExists(atPath: scratch) { try files.removeItem(atPath: scratch) }
    try files.createDirectory(
      atPath: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw BackupError("\(partial) cannot be written: \(String(cString: strerror(errno))).")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    writer = TarWriter(handle)
  }

  func add(_ source: String, as name: String, isScratch: Bool) throws -> BackupManifest.Entry {
    let status = try FileStatus(source)
    var digest = MessageDigest(.sha256)
    try writer.begin(name, size: status.size, modified: status.modified)
    let size = try FileChecksum.read(source, limit: status.size) { bytes in
      bytes.withUnsafeBytes { digest.update($0) }
      try writer.write(bytes)
    }
    guard size == status.size else {
      throw BackupError("\(source) changed while it was copied. Run the backup again.")
    }
    try writer.end(size: size)
    if isScratch { try files.removeItem(atPath: source) }
    return BackupManifest.Entry(
      path: name, size: size, sha256: Hex.encode(digest.finalize()), modified: status.modified)
  }

  func finish(_ manifest: BackupManifest) throws {
    let bytes = try manifest.encoded()
    try writer.begin(BackupManifest.fileName, size: bytes.count, modified: 0)
    try writer.write(bytes)
    try writer.end(size: bytes.count)
    try writer.close()
    try handle.synchronize()
  }

  func publish() throws {
    guard rename(partial, target) == 0 else {
      throw BackupError("\(target) cannot be written: \(String(cString: strerror(errno))).")
    }
    try DurableFile.sync(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    try files.removeItem(atPath: scratch)
  }

  func discard() {
    try? files.removeItem(atPath: partial)
    try? files.removeItem(atPath: scratch)
  }

  var written: BackupReader { get throws { try BackupReader(partial) } }
}
