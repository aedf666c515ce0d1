internal import CMicroHTTPD
internal import Glibc

/// An IPv4 or IPv6 address without a port. IPv4 is stored as an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), so both
/// forms are equal.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  private static let mapped: UInt64 = 0xFFFF_0000_0000

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`, with or without a port; nil for anything else.
  init?(_ text: some StringProtocol) {
    var bare = Substring(text)
    if bare.first == "[" {
      guard let end = bare.firstIndex(of: "]") else { return nil }
      bare = bare[bare.index(after: bare.startIndex)..<end]
    } else if bare.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = bare.firstIndex(of: ":") {
      bare = bare[..<colon]
    }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, String(bare), &four) == 1 {
      self.init(four)
    } else if inet_pton(AF_INET6, String(bare), &six) == 1 {
      self.init(six)
    } else {
      return nil
    }
  }

  /// The address that `accept` returned; nil if it is neither IPv4 nor IPv6.
  init?(_ storage: sockaddr_storage) {
    var storage = storage
    switch Int32(storage.ss_family) {
    case AF_INET: self.init(withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self).sin_addr })
    case AF_INET6: self.init(withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self).sin6_addr })
    default: return nil
    }
  }

  private init(_ four: in_addr) { self.init(high: 0, low: Self.mapped | UInt64(UInt32(bigEndian: four.s_addr))) }

  private init(_ six: in6_addr) {
    let (high, low) = withUnsafeBytes(of: six) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }

  private var isFour: Bool { high == 0 && low & ~0xFFFF_FFFF == Self.mapped }

  /// The network that one subscriber usually controls: an IPv4 address itself, or the /64 of an IPv6 address (RFC
  /// 6177).
  var network: ClientAddress { isFour ? self : ClientAddress(high: high, low: 0) }

  /// The address as text: `192.0.2.1` or `2001:db8::1`.
  public var description: String {
    var text = [CChar](repeating: 0, count: 64)
    if isFour {
      var four = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
      inet_ntop(AF_INET, &four, &text, socklen_t(text.count))
    } else {
      var words = (high.bigEndian, low.bigEndian)
      inet_ntop(AF_INET6, &words, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// A range of addresses with a common prefix: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
  public struct Range: Hashable, Sendable {
    private let first: ClientAddress
    private let bits: Int

    /// Parses an address, optionally followed by `/` and the prefix length; nil for other text.
    public init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let address = parts.first.flatMap({ ClientAddress($0) }) else { return nil }
      let most = address.isFour ? 32 : 128
      var length = most
      if parts.count > 1 {
        guard let given = Int(parts[1]), (0...most).contains(given) else { return nil }
        length = given
      }
      bits = length + (address.isFour ? 96 : 0)
      first = address
    }

    func contains(_ address: ClientAddress) -> Bool {
      Self.masked(address.high, bits) == Self.masked(first.high, bits)
        && Self.masked(address.low, bits - 64) == Self.masked(first.low, bits - 64)
    }

    private static func masked(_ word: UInt64, _ bits: Int) -> UInt64 {
      bits >= 64 ? word : bits <= 0 ? 0 : word & ~(UInt64.max >> UInt64(bits))
    }
  }
}
