internal import Core

/// The cookie of a browser that has logged in under a user name before. It grants no access: it gives the browser a
/// limit of login attempts of its own, which other clients cannot use up (see `LoginThrottle`).
///
/// The value is a random number and an authentication code of the number and the user name, keyed with the data
/// folder's secret. The server stores nothing, and without the secret no valid cookie can be made.
struct DeviceCookie: Sendable {
  private let hash: IdentityHash
  private let login: SessionCookie

  /// Makes cookies that have the attributes `Secure` and `Path` of the cookie `login`.
  init(hash: IdentityHash, like login: SessionCookie) {
    self.hash = hash
    self.login = login
  }

  /// The value of `Set-Cookie` that marks a browser as known for `user`, for 400 days.
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
