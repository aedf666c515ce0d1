import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

@Suite("Requests to webhooks", .serialized)
struct TransportTests {
  @Test(
    "a request to a webhook does not even connect to this machine unless that is allowed",
    arguments: [
      "https://127.0.0.1", "https://localhost", "https://[::1]", "https://[::ffff:127.0.0.1]", "https://0.0.0.0",
      "https://127.1", "https://2130706433", "https://0x7f.0.0.1",
    ])
  func closed(host: String) throws {
    let sink = Sink { _, _ in .status(200) }
    let outbox = try deliver([.webhook("ops", "\(host):\(sink.port)/", allowsPrivate: false)])
    let failure = try #require(outbox.failures.first?.failure)
    #expect(failure.kind == .setup, "\(failure)")
    #expect(failure.description.contains("private address") || failure.description.contains("reserved"), "\(failure)")
    #expect(sink.connections == 0)
  }

  /// What the resolver says is what is judged, at the moment of connecting: a name that looks public helps nobody.
  @Test("a request to a webhook uses the resolver's answer, not the name")
  func resolver() throws {
    let sink = Sink { _, _ in .status(200) }
    let answers = try Program.output("getent", ["ahosts", "localhost"])
    #expect(String(decoding: answers, as: UTF8.self).contains("127.0.0.1"))
    let refused = try deliver([.webhook("ops", "https://localhost:\(sink.port)/", allowsPrivate: false)])
    #expect(refused.failures.count == 1 && sink.connections == 0)
    let allowed = try deliver([.webhook("ops", "http://localhost:\(sink.port)/", allowsPrivate: true)])
    #expect(allowed.delivered.count == 1 && sink.connections == 1)
  }

  @Test("a request to a webhook never reaches a cloud's metadata address, whatever is allowed")
  func metadata() throws {
    for host in ["169.254.169.254", "[fd00:ec2::254]", "[::ffff:a9fe:a9fe]", "100.100.100.200"] {
      let failure = try #require(try deliver([.webhook("ops", "http://\(host)/latest/")]).failures.first?.failure)
      #expect(failure.kind == .setup && failure.description.contains("metadata"), "\(failure)")
    }
  }

  @Test("a request to a webhook sends nothing unencrypted to the internet")
  func clear() throws {
    let failure = try #require(try deliver([.webhook("ops", "http://1.1.1.1/")]).failures.first?.failure)
    #expect(
      failure.description == "1.1.1.1 is not a private address; unencrypted messages go to private addresses only")
  }

  @Test("a request to a webhook follows no redirect")
  func redirect() throws {
    let other = Sink { _, _ in .status(200) }
    let sink = Sink { [address = other.address] _, _ in .status(302, headers: ["Location: \(address)"]) }
    let outbox = try deliver([.webhook("ops", sink.address)])
    #expect(outbox.failures.map(\.failure.kind) == [.setup] && other.connections == 0)
    #expect(outbox.failures[0].failure.description.contains("redirect"))
  }

  @Test("a request to a webhook uses no proxy and no password from the environment")
  func environment() throws {
    let proxy = Sink { _, _ in .status(200) }
    let sink = Sink { _, _ in .status(200) }
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy"] { setenv(name, proxy.address, 1) }
    defer { for name in ["http_proxy", "HTTP_PROXY", "all_proxy"] { unsetenv(name) } }
    #expect(try deliver([.webhook("ops", sink.address)]).delivered.count == 1)
    #expect(proxy.connections == 0 && sink.connections == 1)
  }

  @Test("a request to a webhook uses the proxy of its settings")
  func proxy() throws {
    let proxy = Sink { _, _ in .status(200) }
    var channel = Channel.webhook("ops", "http://receiver.example/hook")
    channel.network.proxy = "http://127.0.0.1:\(proxy.port)"
    #expect(try deliver([channel]).delivered.count == 1)
    #expect(proxy.requests[0].head.hasPrefix("POST http://receiver.example/hook HTTP/1.1"))
  }

  @Test("a request to a webhook ends at its time limit, and keeps little of a long answer")
  func limits() throws {
    let slow = Sink { _, _ in .late(20) }
    var limits = DispatchLimits()
    limits.attempts = 1
    let late = try deliver([.webhook("ops", slow.address, timeout: 1)], limits: limits)
    #expect(late.failures.map(\.failure.kind) == [.passing])

    let endless = Sink { _, _ in .endless(1 << 30) }
    #expect(try deliver([.webhook("ops", endless.address)]).delivered.count == 1)
  }

  @Test("a request to a webhook trusts only known certificates and the one in ca-file")
  func certificates() throws {
    try withFolder { folder in
      try Certificate.make(in: folder)
      let arguments = [Receivers.path("https_sink.py"), folder]
      let service = try Child("python3", arguments, folder: folder)
      #expect(eventually { FileManager.default.fileExists(atPath: folder + "/port") }, "\(service.errors)")
      let port = try String(contentsOfFile: folder + "/port", encoding: .utf8)
      var channel = Channel.webhook("ops", "https://localhost:\(port)/")
      let refused = try #require(try deliver([channel]).failures.first?.failure)
      #expect(refused.kind == .setup && refused.description.contains("certificate"), "\(refused)")
      channel.network.caFile = folder + "/cert.pem"
      #expect(try deliver([channel]).delivered.count == 1)
      channel.kind = WebhookChannel(address: .plain("https://127.0.0.1:\(port)/"), signingKey: nil, token: nil)
      #expect(try deliver([channel]).failures.count == 1, "the certificate is for another name")
      withExtendedLifetime(service) {}
    }
  }

  @Test("a body is signed with its time, like openssl signs it")
  func signature() throws {
    let sink = Sink { _, _ in .status(200) }
    let channel = Channel.webhook("ops", sink.address, key: .environment("PLUMB_TEST_KEY"))
    #expect(try deliver([channel], environment: ["PLUMB_TEST_KEY": "a key of ops\n"]).delivered.count == 1)
    let request = try #require(sink.requests.first)
    let header = try #require(request.header("Plumb-Signature"))
    let time = Sample.time.milliseconds / 1000
    let output = try Program.output(
      "openssl", ["dgst", "-sha256", "-hmac", "a key of ops"],
      input: Array("\(time).".utf8) + request.body)
    let digest = try #require(String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).last)
    #expect(header == "t=\(time),v1=\(digest)")
    #expect(request.header("Content-Type") == "application/json; charset=utf-8")
  }

  @Test("an identifier cannot add a header to a request")
  func injection() throws {
    let sink = Sink { _, _ in .status(200) }
    var message = Sample.message
    message.identifier = "a\r\nX-Injected: yes\u{0}\nb: c"
    #expect(try deliver([.webhook("ops", sink.address)], [message]).delivered.count == 1)
    let names = sink.requests[0].head.components(separatedBy: "\r\n").dropFirst().map { $0.prefix { $0 != ":" } }
    #expect(
      Set(names).isSubset(of: [
        "Host", "Accept", "Content-Type", "User-Agent", "Idempotency-Key", "Plumb-Event", "Content-Length",
      ]), "\(names)")
  }
}

/// A certificate for localhost that signs itself.
enum Certificate {
  static func make(in folder: String) throws {
    try Program.output(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder + "/key.pem", "-out",
        folder + "/cert.pem",
      ])
  }
}
