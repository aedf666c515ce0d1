public import Foundation

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
  /// Held by an import from App Store Connect.
  public var appStoreLock: String { url.appendingPathComponent("app-store-connect.lock").path }
  /// The folder for the copies that `serve` makes.
  public var copies: String { url.appendingPathComponent("copies").path }
  /// A file that reserves disk space for work that must continue when the disk is full.
  public var reserve: String { url.appendingPathComponent("reserve").path }
  /// Locked in shared mode by every process that writes to the folder, and exclusively by one that needs it alone.
  public var useLock: String { url.appendingPathComponent("use.lock").path }
  /// The file that makes the folder a standby.
  public var standby: String { url.appendingPathComponent("standby.json").path }
  public var digestLock: String { url.appendingPathComponent("digest.lock").path }
  /// The addresses of the servers with the rows, if they are not in `plumb.db`.
  public var rowServers: String { url.appendingPathComponent("store.yaml").path }
}

/// Files and folders that are synced to disk when a call returns.
public enum DurableFile {
  /// Waits until the file or folder at `path` is on disk.
  public static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path]) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
  }
}
