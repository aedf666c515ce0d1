import Core
import Web

/// The public address of a server: `https://plumb.example.com`, or with a path, `https://example.org/plumb`.
public struct PublicURL: Sendable, Equatable, CustomStringConvertible {
  /// The address without a trailing slash, to which page paths are appended.
  public let description: String
  /// The path of the address, below which clients reach the server.
  let mountPath: MountPath

  /// Parses an address. Throws `UsageError` for anything but http or https, a host, an optional port and an optional
  /// path. Also throws if the path begins like one of the server's own routes, because a proxy that removes the path
  /// would then change requests to that route.
  ///
  /// `setting`: the name of the setting in errors.
  init(_ text: String, setting: String = "public-url") throws {
    let lower = text.lowercased()
    guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else {
      throw Self.error(setting, text, "the address must begin with https:// or http://")
    }
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    guard slash > rest.startIndex, !rest[..<slash].contains(where: Self.endsHost) else {
      throw Self.error(setting, text, "expected a host after \(scheme), without user name, query or fragment")
    }
    guard let mountPath = MountPath(String(Substring(rest[slash...]))) else {
      throw Self.error(setting, text, "path segments can have letters, digits and . _ ~ - only")
    }
    if let first = mountPath.firstSegment, Self.ownSegments.contains(first) {
      throw Self.error(setting, text, "the path must not begin with /\(first), which Plumb uses itself")
    }
    self.mountPath = mountPath
    description = scheme + String(Substring(rest[..<slash])) + mountPath.path
  }

  private static func error(_ setting: String, _ text: String, _ problem: String) -> UsageError {
    UsageError(
      "\(setting): \(problem), found \"\(text)\". Examples: https://plumb.example.com, https://example.org/plumb")
  }

  private static func endsHost(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || "@?#\"'<>\\".utf8.contains(byte)
  }

  /// The first segments of the server's routes.
  private static let ownSegments: Set<String> = {
    let pages = PageList.all.compactMap { $0.path.description.split(separator: "/").first.map(String.init) }
    return Set(
      pages + PublicAssets.all.map(\.name) + [
        "api", "openapi.json", "v1", "login", "logout", "healthz", "readyz", "metrics",
      ])
  }()
}
