internal import Foundation

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

  /// Reads `192.0.2.1` or `2001:db8::1`.
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
