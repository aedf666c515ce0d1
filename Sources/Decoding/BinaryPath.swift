internal import JSON
internal import Telemetry

extension CallTree.Binary.Origin {
  /// What the place of a binary on a device, a Mac or a simulator tells; nothing for a text that is no such path.
  init(path: some Collection<UInt8>) {
    let path = Array(path.prefix(2_000))
    func holds(_ part: String) -> Bool { path.firstRange(of: Array(part.utf8)) != nil }
    if Self.systemFolders.contains(where: { path.starts(with: $0.utf8) }) || Self.runtimes.contains(where: holds) {
      self = .system
    } else {
      self = holds(".app/") ? .app : .unknown
    }
  }

  init(path: JSONText?) { self = path.map { Self(path: $0.bytes) } ?? .unknown }

  private static let systemFolders = ["/System/", "/usr/lib/", "/private/preboot/", "/Library/Apple/"]
  /// A simulator runs on a system that lies in a folder of its own, inside Xcode in older ones.
  private static let runtimes = [".simruntime/", "/RuntimeRoot/", "/Xcode.app/"]

  /// The one that says more: what is known, and the app where reports contradict themselves.
  mutating func merge(_ other: Self) {
    if self == .unknown || other == .app { self = other == .unknown ? self : other }
  }
}
