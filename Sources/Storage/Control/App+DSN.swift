extension App {
  /// What Sentry's SDKs are given: the server's address with the key as its user and the app's number as its path.
  public func dsn(key: String, at url: String) -> String {
    guard let end = url.firstRange(of: "://")?.upperBound else { return "\(url)/\(id)" }
    return "\(url[..<end])\(key)@\(url[end...])/\(id)"
  }
}
