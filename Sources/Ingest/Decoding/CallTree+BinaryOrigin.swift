internal import Core

extension CallTree.Binary.Origin {
  /// The origin that a binary's path on a device, Mac or simulator implies; unknown for any other text.
  init(path: UnsafeBufferPointer<UInt8>) {
    let path = UnsafeBufferPointer(rebasing: path.prefix(2_000))
    if Self.systemFolders.contains(where: { path.starts(with: $0) })
      || Self.runtimes.contains(where: { Self.holds($0, path) })
    {
      self = .system
    } else {
      self = Self.holds(Self.bundle, path) ? .app : .unknown
    }
  }

  init(path: BorrowedJSONString?) { self = path.map { Self(path: $0.bytes) } ?? .unknown }

  init(path: String) {
    var path = path
    self = path.withUTF8 { Self(path: $0) }
  }

  /// Whether `path` contains `part`. It compares bytes without allocating, because each frame of a stack may have a
  /// path.
  private static func holds(_ part: [UInt8], _ path: UnsafeBufferPointer<UInt8>) -> Bool {
    guard path.count >= part.count else { return false }
    let first = part[0]
    for start in 0...(path.count - part.count) where path[start] == first {
      if part.indices.allSatisfy({ path[start + $0] == part[$0] }) { return true }
    }
    return false
  }

  private static let systemFolders = ["/System/", "/usr/lib/", "/private/preboot/", "/Library/Apple/"].map {
    Array($0.utf8)
  }
  /// Folders of simulator runtimes. They contain system code outside the system's folders, in older versions inside
  /// Xcode.
  private static let runtimes = [".simruntime/", "/RuntimeRoot/", "/Xcode.app/"].map { Array($0.utf8) }
  private static let bundle = Array(".app/".utf8)

  /// Merges the origin from another report. A known origin replaces an unknown one, and `app` replaces `system`.
  mutating func merge(_ other: Self) {
    if self == .unknown || other == .app { self = other == .unknown ? self : other }
  }
}
