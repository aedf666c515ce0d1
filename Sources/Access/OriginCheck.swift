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
