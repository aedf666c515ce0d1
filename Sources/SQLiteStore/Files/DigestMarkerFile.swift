import Foundation
public import Storage

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
