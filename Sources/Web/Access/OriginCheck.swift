import Analysis
import Core

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

extension RequestSnapshot {
  /// Whether a form was sent from a page of this server.
  func isFromOwnPage(publicURL: String?) -> Bool {
    OriginCheck.allows(
      origin: header("Origin"), fetchSite: header("Sec-Fetch-Site"), host: header("Host"), publicURL: publicURL)
  }
}
