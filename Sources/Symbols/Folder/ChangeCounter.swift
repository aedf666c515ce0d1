internal import Glibc

/// A number that grows with every change of the folder, whichever process makes it, and the lock under which it is made.
/// Asking for it reads 20 bytes of a file that stays open.
final class ChangeCounter: Sendable {
  private let descriptor: Int32

  init(path: String) throws(SymbolFolderError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SymbolFolderError("cannot open", path) }
  }

  deinit { close(descriptor) }

  /// 0 for a folder that was never changed.
  var value: Int {
    var text = [UInt8](repeating: 0, count: 20)
    let read = pread(descriptor, &text, text.count, 0)
    return Int(String(decoding: text.prefix(max(0, read)), as: UTF8.self)) ?? 0
  }

  /// Runs `change` while no other process does, and counts it when it says that it was one.
  func locked<Result>(_ change: () throws -> (Result, isChange: Bool)) rethrows -> Result {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    defer { flock(descriptor, LOCK_UN) }
    let (result, isChange) = try change()
    if isChange {
      let digits = String(value + 1)
      let text = Array((String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits).utf8)
      _ = pwrite(descriptor, text, text.count, 0)
    }
    return result
  }
}
