/// Whether a POST comes from one of Plumb's own pages (OWASP, "Verifying Origin With Standard Headers").
///
/// Pages must not carry `Referrer-Policy: no-referrer`: under it browsers send `Origin: null` with a form.
public enum OriginCheck {
  /// - Parameters:
  ///   - origin: the request's `Origin`. Every current browser sends it with a POST.
  ///   - fetchSite: the request's `Sec-Fetch-Site`, which decides when there is no `Origin`.
  ///   - host: the request's `Host`, compared with when there is no public URL.
  ///   - publicURL: where people reach this server, as configured.
  public static func allows(origin: String?, fetchSite: String?, host: String?, publicURL: String?) -> Bool {
    guard let origin else { return fetchSite == "same-origin" }
    guard let sender = Origin(origin) else { return false }
    if let publicURL, let own = Origin(publicURL), sender == own { return true }
    guard let host, publicURL == nil || LoopbackRule.isLocalHost(host) else { return false }
    // Without a public URL the scheme is not known: a proxy may speak https in front.
    return Origin(sender.scheme + "://" + host) == sender
  }
}

/// Scheme and authority of a URL, lower-case, without the scheme's default port: what browsers send in `Origin`.
struct Origin: Equatable {
  /// `http` or `https`
  let scheme: String
  /// `plumb.example.com`, `localhost:8080`, `[::1]:8080`
  let authority: String

  /// Nil for a text that is not `http://…` or `https://…`, and for one with a user in it.
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
