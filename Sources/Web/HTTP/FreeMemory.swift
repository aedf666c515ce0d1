import CMicroHTTPD
import Glibc

/// Returns memory that was freed to the system.
///
/// glibc keeps what a thread freed for that thread. A large page and then a large flush on another thread together hold several
/// times what either needs: 290 MB where 118 MB were in use, measured with an app that has every name its limits allow.
public struct FreeMemory {
  /// The resident memory after the last return, in bytes.
  private var least: Int
  private let resident: () -> Int?

  public init() { self.init(resident: Self.residentBytes) }

  init(resident: @escaping () -> Int?) {
    self.resident = resident
    least = resident() ?? 0
  }

  /// The growth from which returning memory is worth its time: each page that is used again costs a page fault.
  static let growth = 32 << 20

  /// Returns free memory if the process has grown since the last time. Returns whether it did.
  @discardableResult public mutating func returnIfGrown() -> Bool {
    guard let now = resident() else { return false }
    least = min(least, now)
    guard now - least > Self.growth else { return false }
    plumb_return_free_memory()
    least = resident() ?? now
    return true
  }

  /// The private memory that the process has in use; nil where the system does not tell.
  private static func residentBytes() -> Int? {
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let text = [UInt8](unsafeUninitializedCapacity: 128) { $1 = max(0, read(file, $0.baseAddress, $0.count)) }
    // Pages: all, resident, shared with files, …
    let pages = text.split(separator: UInt8(ascii: " ")).prefix(3).compactMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
    return pages.count == 3 ? (pages[1] - pages[2]) * Int(getpagesize()) : nil
  }
}
