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
