/// Decides which requests need no login with `serve --open`: requests from this machine that no proxy has forwarded.
///
/// Without this rule, a proxy in front of the server or a web site whose name resolves to 127.0.0.1 (DNS rebinding)
/// would give everyone access.
public enum LoopbackRule {
  /// Whether a request with these headers may read without a login.
  ///
  /// - Parameters:
  ///   - listener: the address that the server listens on, without its port.
  ///   - host: the request's `Host`.
  ///   - headerNames: the names of all headers of the request, in any letter case.
  static func allows(listener: String, host: String?, headerNames: some Sequence<String>) -> Bool {
    isLoopback(listener: listener) && allows(host: host, headerNames: headerNames)
  }

  /// Whether a request with these headers may read without a login if the server listens on a loopback address.
  static func allows(host: String?, headerNames: some Sequence<String>) -> Bool {
    guard let host, isLocalHost(host) else { return false }
    return !headerNames.contains(where: isForwarding)
  }

  /// Whether `address` (`127.0.0.1`, `::1`, `[::1]`, `localhost`) can only be reached from this machine.
  public static func isLoopback(listener address: String) -> Bool {
    if ["127.0.0.1", "localhost", "::1", "[::1]"].contains(address) { return true }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil }
  }

  /// Whether a `Host` header is `localhost`, `127.0.0.1` or `[::1]`, with or without a port.
  static func isLocalHost(_ host: String) -> Bool {
    guard let name = localHosts.first(where: { starts(host, with: $0) }) else { return false }
    let rest = host.utf8.dropFirst(name.utf8CodeUnitCount)
    if rest.isEmpty { return true }
    let port = rest.dropFirst()
    return rest.first == UInt8(ascii: ":") && (1...5).contains(port.count) && port.allSatisfy { (48...57).contains($0) }
  }

  /// Whether `header` is the header name `Host`, in any letter case.
  static func isHost(_ header: String) -> Bool { isCalled(header, "host") }

  private static let localHosts: [StaticString] = ["localhost", "127.0.0.1", "[::1]"]

  private static func isForwarding(_ header: String) -> Bool {
    // X-Real-IP is not standardised, but some proxies add no other header.
    isCalled(header, "forwarded") || isCalled(header, "via") || isCalled(header, "x-real-ip")
      || starts(header, with: "x-forwarded-")
  }

  private static func isCalled(_ text: String, _ name: StaticString) -> Bool {
    text.utf8.count == name.utf8CodeUnitCount && starts(text, with: name)
  }

  /// Compares ASCII text, ignoring letter case. It does not allocate, because it runs for every header of every
  /// request.
  private static func starts(_ text: String, with prefix: StaticString) -> Bool {
    let prefix = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= prefix.count else { return false }
      for index in prefix.indices {
        let byte = bytes[index]
        if (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) != prefix[index] { return false }
      }
      return true
    }
  }
}
