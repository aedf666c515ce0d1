import Foundation

/// The reachability class of an IP address, which decides whether a message may be sent to it.
///
/// Based on IANA's registries of special-purpose addresses (RFC 6890). Addresses in no list are refused unless they are
/// global unicast, so that blocks assigned in future are refused.
enum AddressReach: Equatable {
  /// A public address on the internet.
  case outside
  /// An address of this machine or of a private network: loopback, private, shared (carrier-grade NAT) or unique local.
  case inside
  /// An address that must never be connected to: link-local (where clouds serve machine credentials), multicast or
  /// reserved.
  case never

  init(_ address: IPAddress) {
    if address.bytes.count == 4 {
      self = Self.within(address, Self.version4) ?? .outside
    } else if let inner = Self.embedded(address) {
      self = Self(inner)
    } else {
      self = Self.within(address, Self.version6) ?? .never
    }
  }

  private typealias Block = (prefix: IPAddress?, length: Int, reach: AddressReach)

  private static func within(_ address: IPAddress, _ blocks: [Block]) -> AddressReach? {
    blocks.first { block in block.prefix.map { address.isWithin($0, block.length) } ?? false }?.reach
  }

  /// The IPv4 address in an IPv4-mapped (RFC 4291 §2.5.5.2) or NAT64 (RFC 6052) address; nil for other addresses.
  private static func embedded(_ address: IPAddress) -> IPAddress? {
    for prefix in ["::ffff:0:0", "64:ff9b::"].compactMap(IPAddress.init(_:)) where address.isWithin(prefix, 96) {
      return IPAddress(bytes: Array(address.bytes.suffix(4)))
    }
    return nil
  }

  private static func block(_ prefix: String, _ length: Int, _ reach: AddressReach) -> Block {
    (IPAddress(prefix), length, reach)
  }

  /// The special blocks of IPv4. The first matching block decides.
  private static let version4: [Block] = [
    block("10.0.0.0", 8, .inside), block("127.0.0.0", 8, .inside), block("172.16.0.0", 12, .inside),
    block("192.168.0.0", 16, .inside),
    // The metadata service of Alibaba Cloud, within the shared address space (RFC 6598).
    block("100.100.100.200", 32, .never), block("100.64.0.0", 10, .inside),
    // The host agent of Azure's virtual machines, which has a public address.
    block("168.63.129.16", 32, .never),
    block("0.0.0.0", 8, .never), block("169.254.0.0", 16, .never), block("192.0.0.0", 24, .never),
    block("192.0.2.0", 24, .never), block("192.88.99.0", 24, .never), block("198.18.0.0", 15, .never),
    block("198.51.100.0", 24, .never), block("203.0.113.0", 24, .never), block("224.0.0.0", 3, .never),
  ]

  private static let version6: [Block] = [
    block("::1", 128, .inside),
    // The metadata service of Amazon EC2, within the unique local addresses.
    block("fd00:ec2::", 32, .never), block("fc00::", 7, .inside),
    // Teredo and other protocols; documentation; 6to4, which embeds an IPv4 address.
    block("2001::", 23, .never), block("2001:db8::", 32, .never), block("2002::", 16, .never),
    block("3fff::", 20, .never), block("2000::", 3, .outside),
  ]
}

/// The addresses that a request may connect to.
enum ReachRule: Sendable, Equatable {
  /// Public addresses only, for an encrypted request.
  case outside
  /// Public and private addresses, for an encrypted request.
  case outsideAndInside
  /// Private addresses only, for an unencrypted request.
  case inside
  /// All addresses that may be connected to, for the operator's own relay or proxy.
  case anywhere

  /// Why a connection to `address` is refused; nil if it is allowed.
  func refusal(_ address: IPAddress) -> String? {
    switch (self, AddressReach(address)) {
    case (.anywhere, _), (.outside, .outside), (.outsideAndInside, .outside), (.outsideAndInside, .inside),
      (.inside, .inside):
      nil
    case (.outside, .inside):
      "\(address) is a private address; `allow-private: true` in the channel's settings allows it"
    case (.inside, .outside): "\(address) is not a private address; unencrypted messages go to private addresses only"
    case (_, .never): "\(address) is link-local, reserved or a metadata service; messages are never sent there"
    }
  }
}

/// Checks a URL before libcurl parses it. Unusual URLs are refused.
enum WebAddress {
  /// Why `address` is refused; nil if it is accepted. The text does not quote the address, because it may be secret.
  static func problem(_ address: String, allowsPrivate: Bool) -> String? {
    let isPlain = isPlain(address)
    guard isPlain || address.lowercased().hasPrefix("https://") else { return "the address must begin with https://" }
    if isPlain, !allowsPrivate {
      return "the address must begin with https://; http is only for private addresses, with `allow-private: true`"
    }
    guard address.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }),
      address.utf8.count <= 4096
    else { return "the address is too long, or has spaces or characters that must be percent-encoded" }
    let authority = address.dropFirst(isPlain ? 7 : 8).prefix { !"/?#".contains($0) }
    if authority.isEmpty { return "the address has no host" }
    if authority.contains("@") { return "the address must not contain a user name or password" }
    return nil
  }

  /// Whether an address is unencrypted (http).
  static func isPlain(_ address: String) -> Bool { address.lowercased().hasPrefix("http://") }
}

/// An IPv4 or IPv6 address.
struct IPAddress: Sendable, Equatable, CustomStringConvertible {
  /// The 4 or 16 bytes of the address, in network order.
  let bytes: [UInt8]

  /// Reads a socket address; nil if it is neither IPv4 nor IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let inside = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
      bytes = withUnsafeBytes(of: inside.sin_addr) { Array($0) }
    case AF_INET6:
      let inside = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
      bytes = withUnsafeBytes(of: inside.sin6_addr) { Array($0) }
    default: return nil
    }
  }

  /// Parses `192.0.2.1` or `2001:db8::1`.
  init?(_ text: String) {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The address as text: `192.0.2.1` or `2001:db8::1`.
  var description: String {
    var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil else { return "?" }
    return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the first `length` bits equal those of `prefix`.
  func isWithin(_ prefix: IPAddress, _ length: Int) -> Bool {
    guard bytes.count == prefix.bytes.count else { return false }
    return bytes.indices.allSatisfy { index in
      let bits = min(8, max(0, length - index * 8))
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
      return bytes[index] & mask == prefix.bytes[index] & mask
    }
  }
}
