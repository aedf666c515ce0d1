import CMicroHTTPD
import Glibc

/// Returns freed memory to the operating system.
///
/// glibc keeps freed memory per thread. A large page on one thread and a large flush on another together hold several
/// times the memory that either needs: 290 MB with 118 MB in use, measured with an app that has every name its limits
/// allow.
public struct MemoryTrim {
  /// The resident memory after the last return, in bytes.
  private var least: Int
  private let resident: () -> Int?

  public init() { self.init(resident: Self.residentBytes) }

  init(resident: @escaping () -> Int?) {
    self.resident = resident
    least = resident() ?? 0
  }

  /// The growth, in bytes, from which returning memory is worthwhile: each page that is used again costs a page fault.
  static let growth = 32 << 20

  /// Returns free memory to the system if the process has grown since the last time. The result shows whether it did.
  @discardableResult public mutating func returnIfGrown() -> Bool {
    guard let now = resident() else { return false }
    least = min(least, now)
    guard now - least > Self.growth else { return false }
    plumb_return_free_memory()
    least = resident() ?? now
    return true
  }

  /// The private resident memory of the process, in bytes; nil if unknown.
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
