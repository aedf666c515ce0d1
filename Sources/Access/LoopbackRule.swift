/// Who may read without a login under `serve --open`: requests from this machine that no proxy has passed on.
///
/// A proxy in front of loopback, or a site whose name was rebound to 127.0.0.1, would otherwise publish everything.
public enum LoopbackRule {
  /// Whether a request with these headers may read without a login.
  ///
  /// - Parameters:
  ///   - listener: the address the server listens on, without its port.
  ///   - host: the request's `Host`.
  ///   - headerNames: the names of all of the request's headers, in any case.
  public static func allows(listener: String, host: String?, headerNames: some Sequence<String>) -> Bool {
    guard isLoopback(listener: listener), let host, isLocalHost(host) else { return false }
    return !headerNames.contains(where: isForwarding)
  }

  /// Whether `address` (`127.0.0.1`, `::1`, `[::1]`, `localhost`) can be reached from this machine only.
  public static func isLoopback(listener address: String) -> Bool {
    if address == "localhost" || address == "::1" || address == "[::1]" { return true }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil }
  }

  /// Whether a `Host` header is `localhost`, `127.0.0.1` or `[::1]`, with or without a port.
  public static func isLocalHost(_ host: String) -> Bool {
    let lower = host.lowercased()
    let names = ["localhost", "127.0.0.1", "[::1]"]
    guard let name = names.first(where: { lower.utf8.starts(with: $0.utf8) }) else { return false }
    let rest = lower.utf8.dropFirst(name.utf8.count)
    if rest.isEmpty { return true }
    let port = rest.dropFirst()
    return rest.first == UInt8(ascii: ":") && (1...5).contains(port.count) && port.allSatisfy { (48...57).contains($0) }
  }

  private static func isForwarding(_ header: String) -> Bool {
    let name = header.lowercased()
    // X-Real-IP is not in any standard; it is what proxies add that add nothing else.
    return name == "forwarded" || name == "via" || name == "x-real-ip" || name.utf8.starts(with: "x-forwarded-".utf8)
  }
}
