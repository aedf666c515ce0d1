internal import Crypto

/// The cookie of a login: an opaque random id, stored hashed. `HttpOnly` and `SameSite`: scripts cannot read it, and
/// other sites cannot send it.
public struct SessionCookie: Sendable {
  /// Whether browsers send it over https only.
  public let isSecure: Bool

  /// `Secure` unless the public URL is http on loopback. Over http to another host browsers refuse the cookie, so that
  /// login fails: passwords must not cross a network in the clear.
  public init(publicURL: String) {
    guard let origin = Origin(publicURL) else {
      isSecure = true
      return
    }
    isSecure = !(origin.scheme == "http" && LoopbackRule.isLocalHost(origin.authority))
  }

  /// The prefix makes browsers insist on Secure, Path=/ and no Domain.
  public var name: String { isSecure ? "__Host-plumb" : "plumb" }

  /// The value of `Set-Cookie` that starts a login.
  public func setting(id: String, seconds: Int) -> String { "\(name)=\(id); Max-Age=\(seconds); \(attributes)" }

  /// The value of `Set-Cookie` that ends a login.
  public var clearing: String { "\(name)=; Max-Age=0; \(attributes)" }

  /// The id in the request's `Cookie` header; nil when it holds none of the right shape.
  public func id(in header: String?) -> String? {
    guard let header, header.utf8.count <= 8192 else { return nil }
    for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
      let trimmed = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")),
        trimmed[..<equals].elementsEqual(name.utf8)
      else { continue }
      let value = trimmed[trimmed.index(after: equals)...]
      guard value.count == 64, value.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else { continue }
      return String(decoding: value, as: UTF8.self)
    }
    return nil
  }

  /// What is stored of an id: its SHA-256 in hexadecimal.
  public static func hash(ofID id: String) -> String { Hex.encode(SHA256.hash(data: Array(id.utf8))) }

  private var attributes: String { "Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "") }
}
