import Core

/// A path of this server to which a browser may be redirected after a login. Addresses of other sites are not allowed,
/// including `//evil.example` and `/\evil.example`.
enum RedirectPath {
  /// The path if it belongs to this server, otherwise `/`. `text`: untrusted input.
  static func of(_ text: String?) -> String {
    guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 1000,
      text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }),
      !text.hasPrefix("//"), !text.hasPrefix("/login"), !text.hasPrefix("/logout")
    else { return "/" }
    return text
  }
}
