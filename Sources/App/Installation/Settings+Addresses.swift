import Core
import Web

extension Settings {
  /// The public address of the server; nil if it is not set.
  public func publicURL(flag: String?) throws -> PublicURL? {
    guard let text = value("public-url", flag: flag), !text.isEmpty else { return nil }
    return try PublicURL(text, setting: origin("public-url", flag: flag))
  }

  /// The address to listen on.
  public func listenAddress(flag: String?) throws -> ListenAddress {
    try ListenAddress(value("listen", flag: flag) ?? "127.0.0.1:8080", setting: origin("listen", flag: flag))
  }

  /// The address for users and apps: the public address or, if it is not set, the address to listen on.
  public func serverURL() throws -> String {
    if let url = try publicURL(flag: nil) { return url.description }
    let listen = try listenAddress(flag: nil)
    return "http://\(listen.hostForURL):\(listen.port)"
  }
}
