internal import Core

/// The cookie of a login session: an opaque random id, of which only the hash is stored. `HttpOnly` hides it from
/// scripts, and `SameSite=Strict` keeps browsers from sending it with requests of other sites.
struct SessionCookie: Sendable {
  /// True if browsers send it over https only.
  let isSecure: Bool
  /// The path below which browsers send it: `/plumb`, or empty for the whole host.
  let path: String

  /// Sets `Secure` unless the public URL is http on loopback. Browsers refuse a secure cookie over http from any other
  /// host, so that login fails there: passwords must not cross a network unencrypted.
  ///
  /// `path`: the path of the public URL, without a slash at its end; empty at the root of a host.
  init(publicURL: String, path: String = "") {
    self.path = path
    guard let origin = Origin(publicURL) else {
      isSecure = true
      return
    }
    isSecure = !(origin.scheme == "http" && LoopbackRule.isLocalHost(origin.authority))
  }

  /// The cookie's name. The prefix `__Host-` makes browsers require `Secure`, `Path=/` and no `Domain`; `__Secure-`,
  /// below a path, only the first.
  var name: String { prefix + "plumb" }

  /// The prefix of the names of cookies like this one.
  var prefix: String { !isSecure ? "" : path.isEmpty ? "__Host-" : "__Secure-" }

  /// The value of `Set-Cookie` that starts a login.
  func setting(id: String, seconds: Int) -> String { "\(name)=\(id); Max-Age=\(seconds); \(attributes)" }

  /// The value of `Set-Cookie` that ends a login.
  var clearing: String { "\(name)=; Max-Age=0; \(attributes)" }

  /// The session id in the request's `Cookie` header, 64 hexadecimal digits; nil if there is none.
  func id(in header: String?) -> String? {
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

  /// The hash under which a session id is stored: SHA-256 in hexadecimal.
  static func hash(ofID id: String) -> String { Hex.encode(MessageDigest.sha256(id.utf8)) }

  /// The attributes of cookies like this one, except their age.
  var attributes: String {
    "Path=\(path.isEmpty ? "/" : path); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }
}
