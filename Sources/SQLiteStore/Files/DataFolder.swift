public import Foundation
public import Storage
import Synchronization

/// The paths of the files in an installation's data folder.
public struct DataFolder: Sendable {
  public let url: URL

  /// Creates the folder (mode 0700) if it does not exist.
  public init(creating path: String) throws {
    url = URL(fileURLWithPath: path, isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
  }

  /// Refers to a folder, whatever it contains.
  public init(_ path: String) { url = URL(fileURLWithPath: path, isDirectory: true) }

  /// Refers to an existing folder; nil if it has no control database.
  public init?(existing path: String) {
    url = URL(fileURLWithPath: path, isDirectory: true)
    guard FileManager.default.fileExists(atPath: control) else { return nil }
  }

  public var journal: String { url.appendingPathComponent("journal.db").path }
  public var plumb: String { url.appendingPathComponent("plumb.db").path }
  public var control: String { url.appendingPathComponent("control.db").path }
  public var samples: String { url.appendingPathComponent("samples.db").path }
  /// The folder of uploaded symbols.
  public var symbols: String { url.appendingPathComponent("symbols").path }
  public var secret: String { url.appendingPathComponent("secret").path }
  public var serveLock: String { url.appendingPathComponent("serve.lock").path }
  public var digestMarker: String { url.appendingPathComponent("digest.marker").path }
  /// Locked while a backup runs.
  public var backupLock: String { url.appendingPathComponent("backup.lock").path }
  /// The folder for the copies that `serve` makes.
  public var copies: String { url.appendingPathComponent("copies").path }
  /// A file that reserves disk space for work that must continue when the disk is full.
  public var reserve: String { url.appendingPathComponent("reserve").path }
  /// Locked in shared mode by every process that writes to the folder, and exclusively by one that needs it alone.
  public var useLock: String { url.appendingPathComponent("use.lock").path }
  public var digestLock: String { url.appendingPathComponent("digest.lock").path }
  /// The addresses of the servers with the rows, if they are not in `plumb.db`.
  public var rowServers: String { url.appendingPathComponent("store.yaml").path }
}

/// An advisory lock on a file in the data folder. The kernel releases it when the process ends.
public final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Acquires the lock; nil if another process holds it. Several processes can hold a shared lock at a time.
  public init?(path: String, isShared: Bool = false) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
    // A file created by a command of root must remain accessible to the server's user.
    var owner = stat()
    if geteuid() == 0, stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &owner) == 0 {
      _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }
    guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}

/// The digest's marker in a file of the data folder. The file is not synced: it survives the process but not
/// necessarily a power failure, after which the records are digested as usual.
public final class DigestMarkerFile: DigestMarker {
  private let descriptor: Int32

  /// The file's constant size in bytes. Because it never grows, a full disk cannot block the digest.
  private static let size = 4096
  /// The maximum number of apps in a marker. The work for other apps is repeated after a crash, which changes nothing.
  private static let mostApps = 100

  public init(path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_size == 0 { try create() }
  }

  deinit { close(descriptor) }

  public func set(_ target: DigestPosition) throws {
    let behind = target.behind.prefix(Self.mostApps).map { " \($0.key)=\($0.value)" }.joined()
    try write("digesting \(target.through)\(behind)\n")
  }

  public func clear() throws { try write("idle\n") }

  public func read() throws -> DigestPosition? {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, Self.size, 0) }
    guard count >= 0 else { throw CocoaError(.fileReadUnknown) }
    return DigestPosition(marker: String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
  }

  /// Overwrites the start of the file. Bytes after the end of the line are ignored.
  private func write(_ line: String) throws {
    let bytes = Array(line.utf8.prefix(Self.size))
    guard bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Allocates the file's space and clears it.
  private func create() throws {
    let bytes = [UInt8](repeating: 0, count: Self.size)
    guard bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, Self.size, 0) }) == Self.size else {
      throw CocoaError(.fileWriteUnknown)
    }
    try clear()
  }
}
