internal import JSON
internal import Telemetry

extension CallTree.Binary.Origin {
  /// What the place of a binary on a device, a Mac or a simulator tells; nothing for a text that is no such path.
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

  init(path: JSONText?) { self = path.map { Self(path: $0.bytes) } ?? .unknown }

  init(path: String) {
    var path = path
    self = path.withUTF8 { Self(path: $0) }
  }

  /// Each frame of a stack may name a path: no array is made, and nothing but the bytes is compared.
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
  /// A simulator runs on a system that lies in a folder of its own, inside Xcode in older ones.
  private static let runtimes = [".simruntime/", "/RuntimeRoot/", "/Xcode.app/"].map { Array($0.utf8) }
  private static let bundle = Array(".app/".utf8)

  /// The one that says more: what is known, and the app where reports contradict themselves.
  mutating func merge(_ other: Self) {
    if self == .unknown || other == .app { self = other == .unknown ? self : other }
  }
}
