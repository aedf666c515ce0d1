/// The cookie of a device that has logged in under a name before. It grants no access: it only gives the device login
/// attempts of its own, which others cannot use up (see `LoginThrottle`).
///
/// A random number and an authentication code of it and the name under the data folder's secret. The server stores
/// nothing, and without the secret no cookie can be made.
public struct DeviceCookie: Sendable {
  private let hash: IdentityHash
  private let isSecure: Bool

  /// `Secure` exactly if the login's own cookie is.
  public init(hash: IdentityHash, like login: SessionCookie) {
    self.hash = hash
    isSecure = login.isSecure
  }

  /// The value of `Set-Cookie` that makes this a device of `user`.
  public func setting(user: String) -> String {
    var random = SystemRandomNumberGenerator()
    let number = Hex.encode(KeyGenerator.bytes(16, using: &random))
    let attributes = "Max-Age=34560000; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    return "\(name)=\(number)\(code(number, user)); \(attributes)"
  }

  /// The device's number, when the request's `Cookie` header proves one for `user`.
  public func device(in header: String?, of user: String) -> String? {
    guard let header, header.utf8.count <= 8192 else { return nil }
    for pair in header.split(separator: ";") {
      let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0] == name, sides[1].utf8.count == 64 else { continue }
      let number = String(sides[1].prefix(32))
      if ConstantTime.equal(Array(sides[1].utf8.dropFirst(32)), Array(code(number, user).utf8)) { return number }
    }
    return nil
  }

  private var name: String { isSecure ? "__Host-plumb-device" : "plumb-device" }

  /// 128 bits in hexadecimal.
  private func code(_ number: String, _ user: String) -> String {
    let text = number + " " + user.lowercased()
    return Hex.encode(
      ["login device", "login device, second half"].flatMap { scope in
        withUnsafeBytes(of: hash.hash(text, scope: scope).bigEndian) { Array($0) }
      })
  }
}
