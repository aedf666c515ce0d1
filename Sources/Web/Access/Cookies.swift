import Core

/// The cookie of a login session: a random id, of which the server stores only the hash. `HttpOnly` hides it from
/// scripts, and `SameSite=Strict` prevents browsers from sending it with requests of other sites.
struct SessionCookie: Sendable {
  /// Whether browsers send the cookie only over https.
  let isSecure: Bool
  /// The path below which browsers send the cookie: `/plumb`, or empty for the whole host.
  let path: String

  /// Creates a cookie with `Secure`, unless the public URL is http on loopback. Browsers refuse a secure cookie over
  /// http from any other host, so login fails there, because passwords must not cross a network unencrypted.
  ///
  /// `path`: the path of the public URL, without a trailing slash; empty at the root of a host.
  init(publicURL: String, path: String = "") {
    self.path = path
    guard let origin = Origin(publicURL) else {
      isSecure = true
      return
    }
    isSecure = !(origin.scheme == "http" && LoopbackRule.isLocalHost(origin.authority))
  }

  /// The cookie's name. The prefix `__Host-` makes browsers require `Secure`, `Path=/` and no `Domain`. Below a path,
  /// the prefix `__Secure-` makes them require `Secure`.
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

/// The cookie of a browser that has logged in under a user name before. It grants no access. It gives the browser a
/// separate limit of login attempts, which other clients cannot use up (see `LoginThrottle`).
///
/// The value is a random number and an authentication code of the number and the user name, keyed with the data
/// folder's secret. The server stores nothing, and valid cookies cannot be created without the secret.
struct DeviceCookie: Sendable {
  private let hash: KeyedIDHash
  private let login: SessionCookie

  /// Creates cookies with the attributes `Secure` and `Path` of the cookie `login`.
  init(hash: KeyedIDHash, like login: SessionCookie) {
    self.hash = hash
    self.login = login
  }

  /// The value of `Set-Cookie` that marks a browser as known to `user` for 400 days.
  func setting(user: String) -> String {
    var random = SystemRandomNumberGenerator()
    let number = Hex.encode(KeyGenerator.bytes(16, using: &random))
    return "\(name)=\(number)\(code(number, user)); Max-Age=34560000; \(login.attributes)"
  }

  /// The random number in the request's `Cookie` header; nil unless its code is valid for `user`.
  func device(in header: String?, of user: String) -> String? {
    guard let header, header.utf8.count <= 8192 else { return nil }
    for pair in header.split(separator: ";") {
      let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0] == name, sides[1].utf8.count == 64 else { continue }
      let number = String(sides[1].prefix(32))
      if ConstantTime.equal(Array(sides[1].utf8.dropFirst(32)), Array(code(number, user).utf8)) { return number }
    }
    return nil
  }

  private var name: String { login.prefix + "plumb-device" }

  /// The authentication code: 128 bits in hexadecimal.
  private func code(_ number: String, _ user: String) -> String {
    let text = number + " " + user.lowercased()
    return Hex.encode(
      ["login device", "login device, second half"].flatMap { scope in
        withUnsafeBytes(of: hash.hash(text, scope: scope).bigEndian) { Array($0) }
      })
  }
}
