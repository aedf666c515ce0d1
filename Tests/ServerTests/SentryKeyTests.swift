import Testing

@testable import Ingest
@testable import Web

@Suite("Sentry's URL and key")
struct SentryKeyTests {
  /// The formats of Sentry's two addresses, and the app that a path names.
  private func address(_ target: String) throws -> IngestAddress? {
    let path = RequestSnapshot(method: "POST", target: target).path
    for route in try TestRoutes.all() where route.address.isWhole {
      let pattern = route.address.pattern.description
      guard pattern.hasPrefix("/api/{project}/"), let found = route.address.arguments(of: path, { [] }) else {
        continue
      }
      return IngestAddress(
        sentry: pattern.contains("envelope") ? .sentryEnvelope : .sentryStore, project: found[0])
    }
    return nil
  }

  @Test("Sentry's paths are accepted with and without the last slash")
  func addresses() throws {
    for path in ["/api/42/envelope/", "/api/42/envelope"] {
      let found = try address(path)
      #expect(found?.app == 42 && found?.format == .sentryEnvelope && found?.mayHoldKey == true)
    }
    #expect(try address("/api/7/store/?sentry_key=a")?.format == .sentryStore)
    #expect(try address("/api/shop/envelope/")?.app == 0, "a project that is no number is nobody's")
    for path in ["/api/v1/envelope/", "/api/42/envelope/x", "/api/42", "/api//envelope/", "/api/42/minidump/", "/x"] {
      #expect(try address(path) == nil, "\(path)")
    }
  }

  @Test("a Sentry key is found wherever a client writes it")
  func keys() {
    func keys(_ target: String, _ headers: [(String, String)]) -> [String] {
      SentryKey(RequestHead(method: "POST", target: target, headers: headers), project: 1).keys
    }
    let sentry = "Sentry sentry_version=7, sentry_client=c/1, sentry_key=abc, sentry_secret=s"
    #expect(keys("/", [("X-Sentry-Auth", sentry)]) == ["abc"])
    #expect(keys("/", [("x-sentry-auth", "sentry sentry_key=abc")]) == ["abc"])
    #expect(keys("/", [("Authorization", sentry)]) == ["abc"])
    #expect(keys("/?sentry_version=7&sentry_key=abc", []) == ["abc"])
    #expect(keys("/?key=abc", [("X-Plumb-Key", "d"), ("Authorization", "Bearer e")]).sorted() == ["abc", "d", "e"])
    #expect(keys("/", [("X-Sentry-Auth", "Basic sentry_key=abc")]).isEmpty && keys("/", []).isEmpty)
  }
}
