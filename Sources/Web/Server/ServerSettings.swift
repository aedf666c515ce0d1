internal import Analysis
internal import Core
internal import Ingest
internal import Storage
internal import Symbols

/// The settings of the HTTP routes.
public struct ServerSettings: Sendable {
  /// The address the server listens on, without its port.
  var host: String
  /// Whether clients on a loopback address need no login.
  var isOpen: Bool
  /// The public URL of this server, without a trailing slash.
  public var publicURL: String
  /// The path of the public URL, below which clients reach this server.
  public var mountPath: MountPath
  /// The largest body of a payload as sent, in bytes.
  var bodyLimit: Int
  /// The largest body of a payload after decompression, in bytes; at least `bodyLimit`.
  var decompressedLimit: Int
  /// The maximum number of requests per second from one app.
  var requestsPerSecond: Int
  /// The largest upload of symbols, in bytes.
  var uploadLimit: Int
  /// The version and the commit of this binary, for `/metrics`.
  var version: String
  var commit: String
  /// Proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies: TrustedProxies
  /// The settings for signing in.
  public var login = LoginSettings()
  /// The proxies whose headers about users are trusted; used only with `login.proxy`.
  public var loginProxies = TrustedProxies()

  public init(
    host: String, isOpen: Bool, publicURL: String, mountPath: MountPath = .root, bodyLimit: Int = 4 << 20,
    decompressedLimit: Int = 16 << 20, requestsPerSecond: Int = 50_000, uploadLimit: Int = 2 << 30,
    trustedProxies: TrustedProxies = TrustedProxies(), version: String = "", commit: String = ""
  ) {
    self.version = version
    self.commit = commit
    self.host = host
    self.isOpen = isOpen
    self.publicURL = publicURL
    self.mountPath = mountPath
    self.bodyLimit = bodyLimit
    self.decompressedLimit = max(bodyLimit, decompressedLimit)
    self.requestsPerSecond = requestsPerSecond
    self.uploadLimit = uploadLimit
    self.trustedProxies = trustedProxies
  }
}
