internal import Core
internal import Glibc

/// The path below which clients reach the server behind a proxy: `/plumb` for `https://example.org/plumb`; empty at the
/// root of a host.
///
/// It is removed from the paths of requests if the proxy has not removed it, and prepended to a `Location` that is a
/// path. So routes never see it; pages get it from `RequestSnapshot.mountPath`.
public struct MountPath: Sendable, Equatable {
  /// The path without a trailing slash: `/plumb`, `/tools/plumb`, or empty.
  public let path: String

  /// No path: the server is at the root of its host.
  public static let root = MountPath(checked: "")

  private init(checked path: String) { self.path = path }

  /// Parses a path such as `/plumb` or `/plumb/`. Nil unless each segment consists of letters, digits and `. _ ~ -` and
  /// is not `.` or `..`. Such a path needs no escapes in an address, a cookie or a header.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.first?.isEmpty ?? true, text.utf8.count <= 200 else { return nil }
    var names = parts.dropFirst()
    if names.last?.isEmpty == true { names.removeLast() }
    let isPlain = names.allSatisfy { name in
      !name.isEmpty && name.contains { $0 != UInt8(ascii: ".") } && name.allSatisfy(Self.isUnreserved)
    }
    guard isPlain else { return nil }
    path = names.map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
  }

  /// The first segment of the path; nil at the root.
  public var firstSegment: String? { path.split(separator: "/").first.map(String.init) }

  /// The path of a request without this prefix, if it has it: `/login` for `/plumb/login`. `url` must outlive the
  /// result.
  func stripped(_ url: UnsafePointer<CChar>) -> String {
    let length = path.utf8.count
    guard length > 0, strncmp(url, path, length) == 0 else { return String(cString: url).streamSafe }
    switch UInt8(bitPattern: url[length]) {
    case 0: return "/"
    case UInt8(ascii: "/"): return String(cString: url + length).streamSafe
    default: return String(cString: url).streamSafe
    }
  }

  /// The response with this path prepended to a `Location` that is a path of this server.
  func applied(to response: Response) -> Response {
    guard !path.isEmpty, let index = response.headers.firstIndex(where: { ASCII.equal($0.0, "Location") }) else {
      return response
    }
    let location = response.headers[index].1
    guard location.utf8.first == UInt8(ascii: "/"), !location.hasPrefix("//") else { return response }
    var moved = response
    moved.headers[index].1 = path + location
    return moved
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ".-_~".utf8.contains(byte)
    }
  }
}
