import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

@Suite("App Store Connect's API")
struct AppStoreConnectClientTests {
  /// A key as Apple issues it, made by openssl, and the token's time.
  private struct Scene {
    let folder: TemporaryFolder
    let file: String
    static let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws {
      folder = try TemporaryFolder()
      file = folder.path + "/key.p8"
      _ = try Program.output(
        "openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file])
      chmod(file, 0o600)
    }

    func credentials(_ file: String? = nil, issuer: String? = "57246542-96fe-1a63-e053-0824d011072a") throws
      -> AppStoreConnectCredentials
    {
      try AppStoreConnectCredentials(file: file ?? self.file, keyID: "2X9R4HXF34", issuerID: issuer, environment: [:])
    }

    func client(
      _ sink: Sink, _ limits: AppStoreConnectClient.Limits = .init(), waits: Waits = Waits()
    ) throws -> AppStoreConnectClient {
      try AppStoreConnectClient(
        credentials(), address: "http://127.0.0.1:\(sink.port)", limits: limits, now: { Self.now },
        wait: { waits.add($0) })
    }
  }

  /// The seconds that a client waited.
  private final class Waits: Sendable {
    private let state = Mutex<[Int]>([])
    var all: [Int] { state.withLock { $0 } }
    func add(_ seconds: Int) { state.withLock { $0.append(seconds) } }
  }

  private func target(_ request: Sink.Request) -> String {
    String(request.head.split(separator: " ").dropFirst().first ?? "")
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test("openssl verifies the token for App Store Connect, which has Apple's claims and lives for 15 minutes")
  func token() throws {
    let scene = try Scene()
    let text = try scene.credentials().token(at: Scene.now).use { $0 }
    let parts = text.split(separator: ".")
    #expect(parts.count == 3)
    let texts = try parts.map { try #require(Base64URL.decode($0)) }
    #expect(
      try JSONSerialization.jsonObject(with: Data(texts[0])) as? [String: String]
        == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
    let claims = try JSONSerialization.jsonObject(with: Data(texts[1])) as? [String: Any] ?? [:]
    #expect(claims["iss"] as? String == "57246542-96fe-1a63-e053-0824d011072a" && claims["sub"] == nil)
    #expect(claims["aud"] as? String == "appstoreconnect-v1")
    #expect(claims["iat"] as? Int == 1_794_999_970 && claims["exp"] as? Int == 1_795_000_900)

    // The signature in DER, which openssl expects.
    let pair = texts[2]
    #expect(pair.count == 64)
    let numbers = [pair[..<32], pair[32...]].flatMap { half -> [UInt8] in
      let digits = Array(half.drop { $0 == 0 })
      let number = (digits.first ?? 0) >= 0x80 ? [0] + digits : digits
      return [0x02, UInt8(number.count)] + number
    }
    let (signature, signed, key) = ("signature", "signed", "public.pem")
    func path(_ name: String) -> String { scene.folder.path + "/" + name }
    try Data([0x30, UInt8(numbers.count)] + numbers).write(to: URL(filePath: path(signature)))
    try Data((parts[0] + "." + parts[1]).utf8).write(to: URL(filePath: path(signed)))
    _ = try Program.output("openssl", ["pkey", "-in", scene.file, "-pubout", "-out", path(key)])
    let verify = ["dgst", "-sha256", "-verify", path(key), "-signature", path(signature), path(signed)]
    #expect(Program.succeeds("openssl", verify))
    try Data((parts[0] + "." + parts[1] + "x").utf8).write(to: URL(filePath: path(signed)))
    #expect(!Program.succeeds("openssl", verify))

    let own = try scene.credentials(issuer: nil).token(at: Scene.now).use { $0 }
    let body = String(decoding: Base64URL.decode(own.split(separator: ".")[1]) ?? [], as: UTF8.self)
    #expect(body.contains(#""sub":"user""#) && !body.contains("iss"))
  }

  @Test(
    "a key of App Store Connect that others may read, is encrypted or is of another kind is refused with the reason")
  func keys() throws {
    let scene = try Scene()
    func reason(_ file: String) -> String { message { _ = try scene.credentials(file) } }
    #expect(reason(scene.file) == "no error")
    chmod(scene.file, 0o644)
    #expect(reason(scene.file).contains("can be read by other users") && reason(scene.file).contains("chmod 600"))
    chmod(scene.file, 0o600)
    #expect(reason(scene.folder.path + "/none").contains("cannot be read"))
    let (rsa, other, locked) = (
      scene.folder.path + "/rsa", scene.folder.path + "/p384", scene.folder.path + "/locked"
    )
    _ = try Program.output("openssl", ["genpkey", "-algorithm", "RSA", "-out", rsa])
    _ = try Program.output(
      "openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", other])
    _ = try Program.output(
      "openssl", ["pkcs8", "-topk8", "-in", scene.file, "-passout", "pass:secret", "-out", locked])
    for file in [rsa, other, locked] {
      chmod(file, 0o600)
      #expect(reason(file).contains("P-256"), "\(file)")
    }
    #expect(
      message { _ = try AppStoreConnectCredentials(file: scene.file, keyID: "a b", issuerID: nil, environment: [:]) }
        .contains("--key-id"))
    #expect(SigningKey(pem: []) == nil && SigningKey(pem: Array(repeating: 0x2D, count: 20_000)) == nil)
  }

  @Test("the token for App Store Connect is not sent without encryption or to the server of a link")
  func addresses() throws {
    let scene = try Scene()
    for address in ["http://example.com", "ftp://127.0.0.1", "https://", "https://a@b.c", "https://a.b/path", "x"] {
      let found = message { _ = try AppStoreConnectClient(scene.credentials(), address: address, now: { Scene.now }) }
      #expect(found.contains("--api-url"), "\(address): \(found)")
    }
    let other = Sink { _, _ in .status(200, body: #"{"data": []}"#) }
    let sink = Sink { [port = other.port] _, _ in
      .status(200, body: #"{"data": [], "links": {"next": "http://127.0.0.1:\#(port)/v1/apps?cursor=2"}}"#)
    }
    #expect(message { _ = try scene.client(sink).appID(of: "a.b") }.contains("another server"))
    #expect(other.connections == 0)
  }

  @Test("an app is found by its bundle identifier on a later page, with the token in every request")
  func paging() throws {
    let scene = try Scene()
    let sink = Sink { number, request in
      let host = request.header("Host") ?? ""
      return number == 0
        ? .status(
          200,
          body: #"{"data": [{"id": "1", "attributes": {"bundleId": "a.b.c"}}],"#
            + #""links": {"next": "http://\#(host)/v1/apps?cursor=second"}}"#)
        : .status(200, body: #"{"data": [{"id": "22", "attributes": {"bundleId": "a.b"}}], "links": {"next": null}}"#)
    }
    #expect(try scene.client(sink).appID(of: "a.b") == "22")
    #expect(sink.requests.map(target).last == "/v1/apps?cursor=second")
    #expect(sink.requests.allSatisfy { $0.header("Authorization")?.hasPrefix("Bearer ey") == true })

    let endless = Sink { _, request in
      .status(200, body: #"{"data": [], "links": {"next": "http://\#(request.header("Host") ?? "")/v1/apps?more"}}"#)
    }
    #expect(message { _ = try scene.client(endless).appID(of: "a.b") }.contains("more than 20 pages"))
    #expect(endless.requests.count == 20)
    let none = Sink { _, _ in .status(200, body: #"{"data": []}"#) }
    #expect(message { _ = try scene.client(none).appID(of: "a.b") }.contains("no app a.b"))
  }

  @Test("a limited or failing App Store Connect is asked again after the time it names, a bounded number of times")
  func retries() throws {
    let scene = try Scene()
    let waits = Waits()
    let sink = Sink { number, _ in
      switch number {
      case 0: .status(429, headers: ["Retry-After: 7"])
      case 1: .status(503)
      default: .status(200, body: "{}")
      }
    }
    #expect(try scene.client(sink, waits: waits).metrics(of: "1") == Array("{}".utf8))
    #expect(waits.all == [7, 4] && sink.requests.count == 3)
    #expect(sink.requests[0].header("Accept") == "application/vnd.apple.xcode-metrics+json")

    let busy = Sink { _, _ in .status(429, headers: ["Retry-After: 3600"]) }
    #expect(message { _ = try scene.client(busy).metrics(of: "1") }.contains("wait 3600 s"))
    #expect(busy.requests.count == 1)
    let down = Sink { _, _ in .status(500) }
    #expect(message { _ = try scene.client(down).metrics(of: "1") }.contains("after 4 attempts (500)"))
    #expect(down.requests.count == 4)
  }

  @Test(
    "App Store Connect's refusals are explained",
    arguments: [(401, "clock"), (403, "role"), (404, "no app with the id 12"), (418, "status 418")])
  func refusals(status: Int, words: String) throws {
    let scene = try Scene()
    let sink = Sink { _, _ in
      .status(status, body: #"{"errors": [{"status": "\#(status)", "detail": "Because \u001b[31mof this"}]}"#)
    }
    let found = message { _ = try scene.client(sink).metrics(of: "12") }
    #expect(found.contains(words), "\(found)")
    #expect(status == 404 || found.contains("Because  [31mof this"), "\(found)")
    #expect(!found.contains("Bearer") && !found.contains("eyJ"), "\(found)")
    #expect(try status != 404 || scene.client(sink).overview(of: "12") == nil)
  }

  @Test("responses of App Store Connect that are too long, too late, cut or not JSON are errors")
  func faults() throws {
    let scene = try Scene()
    var limits = AppStoreConnectClient.Limits()
    (limits.bytes, limits.seconds) = (100_000, 1)
    func failure(_ answer: Sink.Answer) throws -> String {
      let sink = Sink { _, _ in answer }
      let client = try scene.client(sink, limits)
      return message { _ = try client.appID(of: "a.b") }
    }
    #expect(try failure(.endless(10 << 20)).contains("longer than 100000 bytes"))
    #expect(try failure(.late(5)).contains("cannot be reached"))
    #expect(try failure(.close).contains("cannot be reached"))
    for body in ["", "<html>", #"{"data": 4}"#, #"{"data": [{"id": 4, "attributes": {"bundleId": "a.b"}}]}"#] {
      #expect(try failure(.status(200, body: body)).contains("not what Apple documents"), "\(body)")
    }
    #expect(
      try failure(.status(200, body: #"{"data": [{"id": "../x", "attributes": {"bundleId": "a.b"}}]}"#))
        .contains("only digits"))
  }
}
