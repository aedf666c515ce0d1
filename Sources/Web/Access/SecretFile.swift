internal import Foundation

/// The file `secret` of a data folder: 32 random bytes that only its owner can read.
public enum SecretFile {
  /// The name of the secret's file in a data folder.
  static let fileName = "secret"
  static let length = 32

  /// Reads the secret of `folder`, or creates it if there is none.
  public static func readOrCreate(in folder: String) throws(SecretError) -> [UInt8] {
    let path = folder + "/" + fileName
    if access(path, F_OK) != 0 {
      var random = SystemRandomNumberGenerator()
      try create(at: path, KeyGenerator.bytes(length, using: &random))
    }
    return try read(path)
  }

  /// Reads the secret of `folder`, or creates it with these bytes if there is none.
  public static func readOrCreate(in folder: String, content: [UInt8]) throws(SecretError) -> [UInt8] {
    let path = folder + "/" + fileName
    if access(path, F_OK) != 0 { try create(at: path, content) }
    return try read(path)
  }

  /// Reads the secret of `folder`, which must exist.
  public static func read(in folder: String) throws(SecretError) -> [UInt8] { try read(folder + "/" + fileName) }

  /// Writes a temporary file and links it to its name, so that other processes see either no file or a complete file.
  /// If several processes create it at once, the first process wins.
  private static func create(at path: String, _ bytes: [UInt8]) throws(SecretError) {
    var random = SystemRandomNumberGenerator()
    let temporary = path + "." + KeyGenerator.base62(12, using: &random)
    let file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SecretError(path: temporary, problem: "cannot be created: " + reason()) }
    defer { unlink(temporary) }
    let written = write(file, bytes, bytes.count)
    let isDurable = fsync(file) == 0
    guard close(file) == 0, written == bytes.count, isDurable else {
      throw SecretError(path: temporary, problem: "cannot be written: " + reason())
    }
    guard link(temporary, path) == 0 || errno == EEXIST else {
      throw SecretError(path: path, problem: "cannot be created: " + reason())
    }
  }

  private static func read(_ path: String) throws(SecretError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SecretError(path: path, problem: "cannot be read: " + reason()) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SecretError(path: path, problem: "cannot be read: " + reason()) }
    guard status.st_mode & 0o077 == 0 else {
      throw SecretError(path: path, problem: "can be read by other users. Run `chmod 600 \(path)`.")
    }
    var bytes = [UInt8](repeating: 0, count: length + 1)
    guard Foundation.read(file, &bytes, bytes.count) == length else {
      throw SecretError(path: path, problem: "does not have \(length) bytes. Restore it from a backup.")
    }
    return Array(bytes.prefix(length))
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}

/// The error if the data folder's secret cannot be read or created. A new secret would change every hash, so known
/// users would count as new.
public struct SecretError: Error, CustomStringConvertible {
  /// The path of the file that cannot be used.
  let path: String
  /// Why the file cannot be used, and how to fix it.
  let problem: String

  public var description: String { "\(path) \(problem)" }
}
