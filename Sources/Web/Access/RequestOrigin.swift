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

/// Decides whether a POST comes from one of Plumb's own pages, to prevent cross-site request forgery (OWASP, "Verifying
/// Origin With Standard Headers").
///
/// Pages must not have `Referrer-Policy: no-referrer`, because browsers would then send `Origin: null` with forms.
enum OriginCheck {
  /// Whether the request's headers prove that its page is from this server.
  ///
  /// - Parameters:
  ///   - origin: the request's `Origin`. Every current browser sends it with a POST.
  ///   - fetchSite: the request's `Sec-Fetch-Site`, which decides if there is no `Origin`.
  ///   - host: the request's `Host`. The origin must match it if there is no public URL or if `host` is a loopback
  ///     name.
  ///   - publicURL: the configured public URL of this server.
  static func allows(origin: String?, fetchSite: String?, host: String?, publicURL: String?) -> Bool {
    guard let origin else { return fetchSite == "same-origin" }
    guard let sender = Origin(origin) else { return false }
    if let publicURL, let own = Origin(publicURL), sender == own { return true }
    guard let host, publicURL == nil || LoopbackRule.isLocalHost(host) else { return false }
    // Without a public URL the scheme is unknown, because a proxy may serve https.
    return Origin(sender.scheme + "://" + host) == sender
  }
}

/// The scheme and authority of a URL, in lower case and without the scheme's default port: the value of a browser's
/// `Origin` header.
struct Origin: Equatable {
  /// The scheme in lower case: `http` or `https`.
  let scheme: String
  /// The host with its port: `plumb.example.com`, `localhost:8080`, `[::1]:8080`.
  let authority: String

  /// Parses a URL or an `Origin` header. Nil for text that does not begin with `http://` or `https://` and for a URL
  /// with a user name.
  init?(_ text: String) {
    let lower = text.lowercased()
    guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else { return nil }
    let rest = lower.utf8.dropFirst(scheme.utf8.count + 3)
    let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
    var authority = Substring(rest.prefix { !ends.contains($0) })
    guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else { return nil }
    let defaultPort = scheme == "https" ? ":443" : ":80"
    if authority.hasSuffix(defaultPort) { authority = authority.dropLast(defaultPort.count) }
    self.scheme = scheme
    self.authority = String(authority)
  }
}
