/// Reads the parts of an address that decide how it may be reached. libcurl parses it again; what is odd is refused here.
enum WebAddress {
  /// Why `address` cannot be a receiver's; nil when it can. The address itself, which may be secret, is not in it.
  static func problem(_ address: String, allowsPrivate: Bool) -> String? {
    let isPlain = isPlain(address)
    guard isPlain || address.lowercased().hasPrefix("https://") else { return "the address must begin with https://" }
    if isPlain, !allowsPrivate {
      return "the address must begin with https://; http is only for private addresses, with `allow-private: true`"
    }
    guard address.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }),
      address.utf8.count <= 4096
    else { return "the address holds spaces or characters that must be percent-encoded, or is too long" }
    let authority = address.dropFirst(isPlain ? 7 : 8).prefix { !"/?#".contains($0) }
    if authority.isEmpty { return "the address has no host" }
    if authority.contains("@") { return "the address must not hold a name or password" }
    return nil
  }

  /// Whether it is not encrypted.
  static func isPlain(_ address: String) -> Bool { address.lowercased().hasPrefix("http://") }
}
