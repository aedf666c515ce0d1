import Foundation
import Testing
import TestSupport

@testable import Outbound

// One test changes the group of the process.
@Suite("Secrets of channels", .serialized)
struct SecretTests {
  private static let words = "https://hooks.slack.example/services/T0ABCDEF/B0ABCDEF/s3cr3tT0k3nV4lu3"

  @Test("secrets of channels are never shown")
  func hidden() {
    let secret = Secret(Self.words)
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])", dumped] {
      #expect(!text.contains("hooks") && !text.contains("s3cr3t"), "\(text)")
    }
    #expect("\(secret)" == "…")
    let request = WebRequest(
      address: secret, token: secret, credentials: Credentials(user: "u", password: secret), body: [])
    #expect(!"\(request)".contains("s3cr3t") && !String(reflecting: request).contains("s3cr3t"))
  }

  @Test("secrets of channels are removed from a receiver's answer, whole and in parts")
  func redaction() throws {
    let redaction = Redaction([Secret(Self.words), Secret("short")])
    #expect(redaction.apply("no \(Self.words) here") == "no … here")
    #expect(redaction.apply("bad token s3cr3tT0k3nV4lu3\u{301}!").contains("s3cr3t") == false)
    #expect(
      redaction.apply(#"{"path":"\/services\/T0ABCDEF\/B0ABCDEF\/s3cr3tT0k3nV4lu3"}"#).contains("s3cr3t") == false)
    #expect(redaction.apply("not so short") == "not so …")
    #expect(redaction.apply("could not resolve hooks.slack.example") == "could not resolve hooks.slack.example")
  }

  @Test("secrets of channels are not in reports of a receiver that quotes them, nor of libcurl")
  func reports() throws {
    let sink = Sink { _, request in .status(400, body: "unknown path \(request.head.prefix(200))") }
    var channel = Channel(name: "slack", kind: SlackChannel(address: .secret(.environment("HOOK"))))
    channel.network.allowsPrivate = true
    let hook = "http://127.0.0.1:\(sink.port)/services/T0ABCDEF/B0ABCDEF/s3cr3tT0k3nV4lu3"
    let quoted = try #require(try deliver([channel], environment: ["HOOK": hook]).failures.first?.failure)
    #expect(quoted.description.contains("unknown path") && !quoted.description.contains("s3cr3t"), "\(quoted)")
    for bad in [
      "ftp://x/s3cr3tT0k3nV4lu3", "http://[bad/s3cr3tT0k3nV4lu3", "http://127.0.0.1:1/s3cr3tT0k3nV4lu3",
      "s3cr3tT0k3nV4lu3",
    ] {
      let failure = try #require(try deliver([channel], environment: ["HOOK": bad]).failures.first?.failure)
      #expect(!failure.description.contains("s3cr3t"), "\(failure)")
    }
  }

  @Test("secrets of channels are read from variables, and from files that only their owner can read")
  func files() throws {
    try withFolder { folder in
      let path = folder + "/hook"
      func mode(_ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
      try "top secret\n".write(toFile: path, atomically: true, encoding: .utf8)
      try mode(0o600)
      let source = SecretSource.file(path)
      #expect(try source.read(environment: [:]).use { $0 } == "top secret")
      try mode(0o400)
      #expect(try source.read(environment: [:]).use { $0 } == "top secret")
      for open in [0o640, 0o604, 0o644, 0o620, 0o601, 0o660] {
        try mode(open)
        let failure = #expect(throws: SecretFailure.self) { try source.read(environment: [:]) }
        #expect(failure?.description == "the file \(path) can be read by other users; run `chmod 600 \(path)`")
      }
      try mode(0o600)
      for text in ["", " \n", "two\nlines", "a\u{0}b"] {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let failure = #expect(throws: SecretFailure.self) { try source.read(environment: [:]) }
        #expect(failure?.description.contains("two") == false)
      }
      #expect(throws: SecretFailure.self) { try SecretSource.file(folder).read(environment: [:]) }
      #expect(throws: SecretFailure.self) { try SecretSource.file(folder + "/none").read(environment: [:]) }
      #expect(throws: SecretFailure.self) { try SecretSource.file("/dev/zero").read(environment: [:]) }
    }
    #expect(try SecretSource.environment("A").read(environment: ["A": "b"]).use { $0 } == "b")
    let failure = #expect(throws: SecretFailure.self) { try SecretSource.environment("A").read(environment: [:]) }
    #expect(failure?.description == "the environment variable A is not set")
  }

  @Test("secrets of channels are read from systemd's credentials, whose access list looks like group permissions")
  func credentials() throws {
    try withFolder { folder in
      let source = SecretSource.credential("hook")
      let variables = ["CREDENTIALS_DIRECTORY": folder]
      #expect(throws: SecretFailure.self) { try source.read(environment: variables) }
      try "top secret\n".write(toFile: folder + "/hook", atomically: true, encoding: .utf8)
      for (mode, isReadable) in [(0o400, true), (0o440, true), (0o444, false), (0o460, false)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/hook")
        #expect((try? source.read(environment: variables).use { $0 }) == (isReadable ? "top secret" : nil), "\(mode)")
      }
      let failure = #expect(throws: SecretFailure.self) { try source.read(environment: [:]) }
      #expect(failure?.description.contains("LoadCredential=hook:/PATH") == true)
    }
  }

  @Test("secrets of channels may be in files of root that the service's group can read", .enabled(if: geteuid() == 0))
  func groupFile() throws {
    try withFolder { folder in
      let path = folder + "/hook"
      try "top secret\n".write(toFile: path, atomically: true, encoding: .utf8)
      let source = SecretSource.file(path)
      let own = getegid()
      defer { setegid(own) }
      for (group, mode, isReadable) in [
        (gid_t(4711), 0o640, true), (4711, 0o440, true), (4711, 0o660, false), (4711, 0o644, false),
        (4712, 0o640, false),
      ] {
        #expect(chown(path, 0, group) == 0 && setegid(4711) == 0)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(
          (try? source.read(environment: [:]).use { $0 }) == (isReadable ? "top secret" : nil), "\(group) \(mode)")
      }
    }
  }

  @Test("unreadable secrets stop only their own channel, and the next run tries again")
  func oneChannel() throws {
    let sink = Sink { _, _ in .status(200) }
    let outbox = try deliver([
      Channel(name: "slack", kind: SlackChannel(address: .secret(.environment("NONE")))), .webhook("ops", sink.address),
    ])
    #expect(outbox.delivered.map(\.channel) == ["ops"])
    #expect(
      outbox.failures.map(\.failure) == [
        DeliveryFailure(kind: .setup, description: "the environment variable NONE is not set")
      ])
    #expect(outbox.waiting.map(\.channel) == ["slack"])
  }
}
