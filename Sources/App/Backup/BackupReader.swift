import Core
import Foundation

/// A backup on disk: a folder or a tar file.
public struct BackupReader {
  let path: String
  private let isFolder: Bool

  /// Refers to the backup at `path`. Throws if there is none.
  public init(_ path: String) throws {
    self.path = path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      let rest =
        FileManager.default.fileExists(atPath: path + ".previous")
        ? " An interrupted backup left \(path).previous: use that." : ""
      throw BackupError("There is no backup at \(path).\(rest)")
    }
    self.isFolder = isFolder.boolValue
  }

  /// The manifest. Throws for an incomplete backup.
  public func manifest() throws -> BackupManifest {
    if isFolder {
      let file = path + "/" + BackupManifest.fileName
      guard let size = try? FileStatus(file).size, size <= BackupManifest.largest else { throw unfinished }
      return try BackupManifest.decode(try Data(contentsOf: URL(fileURLWithPath: file)), of: path)
    }
    var tar = try TarReader(try Self.regularFile(path, named: path), path: path)
    while let (name, size) = try tar.next() {
      guard name == BackupManifest.fileName else { continue }
      guard size <= BackupManifest.largest else { throw unfinished }
      var bytes = Data()
      while let part = try tar.read() { bytes += part }
      return try BackupManifest.decode(bytes, of: path)
    }
    throw unfinished
  }

  private var unfinished: BackupError {
    BackupError("\(path) has no \(BackupManifest.fileName), so it is not a complete backup.")
  }

  /// Opens a regular file for reading. Throws for anything else, such as a pipe, which might block for ever.
  private static func regularFile(_ file: String, named name: String, isInside: Bool = false) throws -> FileHandle {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isInside ? O_NOFOLLOW : 0)
    let descriptor = open(file, flags)
    guard descriptor >= 0 else { throw BackupError("\(name) cannot be read: \(String(cString: strerror(errno))).") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BackupError("\(name) is not a regular file. Use another backup.")
    }
    return handle
  }

  /// Passes every file of the manifest to `body`, with a function that returns its bytes in portions.
  private func forEachFile(
    _ manifest: BackupManifest, except: Set<String>,
    _ body: (BackupManifest.Entry, () throws -> Data?) throws -> Void
  ) throws {
    var left = Dictionary(manifest.files.map { ($0.path, $0) }) { first, _ in first }
    if isFolder {
      for entry in manifest.files where !except.contains(entry.path) {
        let place = path + "/" + entry.path
        guard FileManager.default.fileExists(atPath: place) else {
          throw BackupError("\(path): \(entry.path) is missing. Use another backup.")
        }
        let file = try Self.regularFile(place, named: place, isInside: true)
        try body(entry) {
          let bytes = try file.read(upToCount: 1 << 20) ?? Data()
          return bytes.isEmpty ? nil : bytes
        }
      }
      return
    }
    var tar = try TarReader(try Self.regularFile(path, named: path), path: path)
    while let (name, _) = try tar.next() {
      guard let entry = left.removeValue(forKey: name), !except.contains(name) else { continue }
      try body(entry) { try tar.read() }
    }
    if let missing = left.keys.min() { throw BackupError("\(path): \(missing) is missing. Use another backup.") }
  }

  /// Reads every file and compares it with the manifest. Throws at the first difference.
  ///
  /// `except`: files that are not read. `progress`: receives the bytes read by each step.
  public func verify(
    _ manifest: BackupManifest, except: Set<String> = [], progress: (Int) -> Void = { _ in }
  ) throws {
    try extract(manifest, except: except, progress: progress) { _ in nil }
  }

  /// Copies every file to the path that `target` returns for it, and compares it with the manifest. If the path is nil,
  /// only compares.
  func extract(
    _ manifest: BackupManifest, except: Set<String> = [], progress: (Int) -> Void,
    to target: (BackupManifest.Entry) throws -> String?
  ) throws {
    try forEachFile(manifest, except: except) { entry, read in
      let output = try target(entry).map(Self.output)
      var digest = MessageDigest(.sha256)
      var size = 0
      while let bytes = try read() {
        size += bytes.count
        guard size <= entry.size else { break }
        bytes.withUnsafeBytes { digest.update($0) }
        try output?.write(contentsOf: bytes)
        progress(bytes.count)
      }
      guard size == entry.size, Hex.encode(digest.finalize()) == entry.sha256 else {
        throw BackupError("\(path): \(entry.path) is damaged. Use another backup.")
      }
      if let output {
        try FileChecksum.setModified(entry.modified, of: output.fileDescriptor)
        try output.synchronize()
      }
    }
  }

  private static func output(_ path: String) throws -> FileHandle {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BackupError("\(path) cannot be written: \(String(cString: strerror(errno))).") }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
