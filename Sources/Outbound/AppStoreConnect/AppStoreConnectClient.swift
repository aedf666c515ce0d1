public import Core
internal import Foundation

/// Reads performance data from App Store Connect's API.
///
/// A run has bounds for its requests, pages, bytes and time. Not for several threads at once.
///
/// Source: developer.apple.com/documentation/appstoreconnectapi/power-and-performance-metrics-and-logs
public final class AppStoreConnectClient {
  /// The limits of one run.
  public struct Limits: Sendable {
    /// The most requests, including repeated ones.
    public var requests = 60
    /// The most pages of one list.
    public var pages = 20
    /// The longest response in bytes. Apple's metrics of a large app have some megabytes.
    public var bytes = 32 << 20
    /// The longest time of one request in seconds.
    public var seconds = 60
    /// The most attempts of one request.
    public var attempts = 4
    /// The longest time in seconds that a run waits for Apple's limits and failures.
    public var waits = 300

    public init() {}
  }

  public static let address = "https://api.appstoreconnect.apple.com"

  private let credentials: AppStoreConnectCredentials
  private let base: String
  private let limits: Limits
  private let web: WebClient
  private let now: @Sendable () -> Timestamp
  private let wait: @Sendable (Int) -> Void
  private var token: (text: Secret, until: Timestamp)?
  private var requests = 0
  private var waited = 0

  /// Creates a client. `address`: the address of the API, https or a server on this machine. `wait`: blocks for a
  /// number of seconds; nil to sleep. Throws `AppStoreConnectError` for another address, to which the token must not be
  /// sent.
  public init(
    _ credentials: AppStoreConnectCredentials, address: String = AppStoreConnectClient.address,
    limits: Limits = Limits(),
    now: @escaping @Sendable () -> Timestamp, wait: (@Sendable (Int) -> Void)? = nil
  ) throws(AppStoreConnectError) {
    guard let url = URL(string: address), let host = url.host, !host.isEmpty, url.user == nil, url.query == nil,
      url.path.isEmpty || url.path == "/",
      url.scheme == "https" || url.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(host)
    else {
      throw AppStoreConnectError("--api-url: expected https://HOST, or http:// with an address of this machine.")
    }
    base = address.hasSuffix("/") ? String(address.dropLast()) : address
    (self.credentials, self.limits, self.now) = (credentials, limits, now)
    self.wait = wait ?? { sleep(UInt32(clamping: $0)) }
    var web = WebClient.Limits()
    (web.seconds, web.bytes, web.usesProxy) = (limits.seconds, limits.bytes, url.scheme == "https")
    self.web = WebClient(limits: web)
  }

  /// Apple's id of the app with a bundle identifier.
  public func appID(of bundleID: String) throws(AppStoreConnectError) -> String {
    let path = "/v1/apps?filter%5BbundleId%5D=\(PercentEncoding.encode(bundleID))&fields%5Bapps%5D=bundleId&limit=200"
    for page in try pages(path) {
      // The filter also finds identifiers of which this one is a part.
      let found = try Self.read(page) { root throws(JSONError) -> String? in
        for element in try root.required("data").array() {
          let app = try element.object()
          let name = try app["attributes"]?.object()["bundleId"]?.text().string
          if name == bundleID { return try app.required("id").text().string }
        }
        return nil
      }
      if let found { return try Self.checked(found) }
    }
    throw AppStoreConnectError("App Store Connect has no app \(bundleID) that this key may read.")
  }

  /// The app's metrics as `xcodeMetrics`.
  public func metrics(of appID: String) throws(AppStoreConnectError) -> [UInt8] {
    let path = "/v1/apps/\(try Self.checked(appID))/perfPowerMetrics"
    guard let body = try get(base + path, accept: "application/vnd.apple.xcode-metrics+json") else {
      throw AppStoreConnectError("App Store Connect has no app with the id \(appID) that this key may read (404).")
    }
    return body
  }

  /// The app's overview as `xcodeOverview`; nil if Apple has none.
  public func overview(of appID: String) throws(AppStoreConnectError) -> [UInt8]? {
    let path = "/v1/apps/\(try Self.checked(appID))/performanceOverviews"
    return try get(base + path, accept: "application/vnd.apple.xcode-overview+json")
  }

  /// The pages of the diagnostic signatures of the newest build of a version; empty if there is no such build.
  public func signatures(of appID: String, version: String) throws(AppStoreConnectError) -> [[UInt8]] {
    let path =
      "/v1/builds?filter%5Bapp%5D=\(try Self.checked(appID))"
      + "&filter%5BpreReleaseVersion.version%5D=\(PercentEncoding.encode(version))&sort=-uploadedDate&limit=1"
    guard let body = try get(base + path) else { return [] }
    let build = try Self.read(body) { root throws(JSONError) -> String? in
      for element in try root.required("data").array() { return try element.object().required("id").text().string }
      return nil
    }
    guard let build else { return [] }
    return try pages("/v1/builds/\(PercentEncoding.encode(build))/diagnosticSignatures?limit=200")
  }

  /// The pages of a list, from its first to its last.
  private func pages(_ path: String) throws(AppStoreConnectError) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var address: String? = base + path
    while let current = address {
      guard found.count < limits.pages else {
        throw AppStoreConnectError("App Store Connect's list has more than \(limits.pages) pages: \(path)")
      }
      guard let body = try get(current) else { break }
      address = try Self.read(body) { root throws(JSONError) -> String? in
        guard let links = root["links"], !links.isNull, let next = try links.object()["next"], !next.isNull
        else { return nil }
        return try next.text().string
      }
      // The token must not follow a link to another server.
      if let next = address, !next.hasPrefix(base + "/") {
        throw AppStoreConnectError("App Store Connect's next page is on another server.")
      }
      found.append(body)
    }
    return found
  }

  /// The body of a response; nil for 404. Repeats the request while Apple asks to wait or fails.
  private func get(
    _ address: String, accept: String = "application/json"
  ) throws(AppStoreConnectError) -> [UInt8]? {
    var attempt = 1
    while true {
      requests += 1
      guard requests <= limits.requests else {
        throw AppStoreConnectError("The import needs more than \(limits.requests) requests to App Store Connect.")
      }
      let answer = try send(address, accept)
      switch answer.status {
      case 200: return answer.body
      case 404: return nil
      case 429, 500..<600:
        let pause = answer.retryAfter ?? (1 << attempt)
        guard attempt < limits.attempts, pause <= limits.waits - waited else {
          throw AppStoreConnectFailure(answer).error(attempts: attempt)
        }
        wait(pause)
        waited += pause
        attempt += 1
      default: throw AppStoreConnectFailure(answer).error(attempts: attempt)
      }
    }
  }

  private func send(_ address: String, _ accept: String) throws(AppStoreConnectError) -> WebClient.Answer {
    let token = try currentToken()
    do {
      return try token.use { token throws(WebClient.Failure) in
        try web.send(.init(address, headers: [("Authorization", "Bearer \(token)"), ("Accept", accept)]))
      }
    } catch {
      throw AppStoreConnectError("App Store Connect cannot be reached: \(error).")
    }
  }

  private func currentToken() throws(AppStoreConnectError) -> Secret {
    let now = now()
    if let token, now < token.until { return token.text }
    let text = try credentials.token(at: now)
    let use = (AppStoreConnectCredentials.lifetime - Int64(limits.seconds)) * 1000
    token = (text, Timestamp(milliseconds: now.milliseconds.saturatingAdd(use)))
    return text
  }

  /// An id as part of a path: digits.
  private static func checked(_ id: String) throws(AppStoreConnectError) -> String {
    guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw AppStoreConnectError(
        "Apple's id of an app has only digits, found \"\(SanitizedText.name(id, atMost: 40))\".")
    }
    return id
  }

  private static func read<Value>(
    _ body: [UInt8], _ read: (JSONObject) throws(JSONError) -> Value
  ) throws(AppStoreConnectError) -> Value {
    do {
      return try body.withUnsafeBytes { bytes in
        try JSONParser(maximumDepth: 32).withDocument(bytes) { root throws(JSONError) in try read(root.object()) }
      }
    } catch {
      throw AppStoreConnectError("App Store Connect's response is not what Apple documents: \(error)")
    }
  }
}

/// A response that is an error, in words.
struct AppStoreConnectFailure {
  private let answer: WebClient.Answer

  init(_ answer: WebClient.Answer) { self.answer = answer }

  func error(attempts: Int) -> AppStoreConnectError {
    let tries = attempts == 1 ? "" : " after \(attempts) attempts"
    let text =
      switch answer.status {
      case 401:
        "App Store Connect does not accept the token (401). Check --key-id, --issuer-id and this machine's clock."
      case 403: "The key may not read performance data (403). Give it the role Developer or App Manager."
      case 429:
        "App Store Connect's hourly limit of requests is reached\(tries) (429)."
          + (answer.retryAfter.map { " It asks to wait \($0) s." } ?? "") + " Run the import later."
      case 500..<600: "App Store Connect failed\(tries) (\(answer.status)). Run the import later."
      default: "App Store Connect answered with the status \(answer.status)."
      }
    return AppStoreConnectError(text + (detail.map { " Apple: \($0)" } ?? ""))
  }

  /// Apple's own explanation of the first error.
  private var detail: String? {
    let text = try? answer.body.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 16, mostValues: 10_000).withDocument(bytes) { root throws(JSONError) -> String? in
        for element in try root.object().required("errors").array() {
          return try element.object().required("detail").text().string
        }
        return ""
      }
    }
    return text.flatMap { $0.isEmpty ? nil : SanitizedText.name($0, atMost: 300) }
  }
}
