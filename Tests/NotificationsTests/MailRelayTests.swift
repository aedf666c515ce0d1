import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

@Suite(
  "A real mail relay", .serialized,
  .enabled(if: Receivers.mailPython != nil, "`make clients` installs aiosmtpd, when there are python3 and a network"))
struct MailRelayTests {
  private struct Taken: Decodable {
    var from: String
    var to: [String]
    var encrypted: Bool
    var login: Bool
    var data: String
  }

  /// A relay, and a channel to it.
  private func withRelay(
    _ encryption: MailChannel.Encryption, refused: String? = nil, _ body: (String, inout Channel) throws -> Void
  ) throws {
    try withFolder { folder in
      try Certificate.make(in: folder)
      let port = try freePort()
      try "\(port)".write(toFile: folder + "/wanted-port", atomically: true, encoding: .utf8)
      let word = encryption == .implicit ? "tls" : encryption.rawValue
      let arguments = [Receivers.path("mail_sink.py"), folder, word] + [refused].compactMap(\.self)
      let service = try Child(try #require(Receivers.mailPython), arguments, folder: folder)
      #expect(eventually { FileManager.default.fileExists(atPath: folder + "/ready") }, "\(service.errors)")
      let login = Channel.Login(user: "plumb", password: .environment("PASSWORD"))
      let mail = MailChannel(
        host: "localhost", port: port, encryption: encryption, login: encryption == .none ? nil : login,
        from: try #require(MailAddress("plumb@example.com")),
        to: ["oncall@example.com", "mobile@example.org"].compactMap(MailAddress.init))
      var channel = Channel(name: "mail", kind: mail)
      channel.network.caFile = folder + "/cert.pem"
      try body(folder, &channel)
      withExtendedLifetime(service) {}
    }
  }

  private func taken(_ folder: String) throws -> [Taken] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasPrefix("mail-") && $0.hasSuffix(".json")
    }
    .sorted().map { try JSONDecoder().decode(Taken.self, from: Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
  }

  @Test(
    "a real mail relay accepts an email over STARTTLS, TLS or unencrypted, byte for byte",
    arguments: MailChannel.Encryption.allCases)
  func delivers(encryption: MailChannel.Encryption) throws {
    try withRelay(encryption) { folder, channel in
      let outbox = try deliver([channel], messages(2), environment: ["PASSWORD": "pass word"])
      #expect(outbox.delivered.count == 2, "\(outbox.failures)")
      let taken = try taken(folder)
      try #require(taken.count == 2)
      #expect(taken[0].from == "plumb@example.com" && taken[0].to == ["oncall@example.com", "mobile@example.org"])
      #expect(taken[0].encrypted == (encryption != .none) && taken[0].login == (encryption != .none))
      guard let mail = channel.kind as? MailChannel else { return }
      let sent = MailFormat.render(messages(2)[1], from: mail.from, to: mail.to)
      #expect(Array(taken[1].data.utf8) == sent)
      #expect(try Mail.read(Array(taken[1].data.utf8)).plain == PlainTextFormat.render(Sample.message))
    }
  }

  @Test("a wrong mail password is an error of the settings, and is not in the report")
  func password() throws {
    try withRelay(.startTLS) { folder, channel in
      let failure = try #require(
        try deliver([channel], environment: ["PASSWORD": "wrong-password"]).failures.first?.failure)
      #expect(failure.kind == .setup && failure.description.contains("535"), "\(failure)")
      #expect(!failure.description.contains("wrong-password"))
      #expect(try taken(folder).isEmpty)
    }
  }

  @Test("a relay with an untrusted certificate gets neither email nor password")
  func certificate() throws {
    try withRelay(.startTLS) { folder, channel in
      channel.network.caFile = nil
      let failure = try #require(try deliver([channel], environment: ["PASSWORD": "pass word"]).failures.first?.failure)
      #expect(failure.kind == .setup && failure.description.contains("certificate"), "\(failure)")
      #expect(try taken(folder).isEmpty)
    }
  }

  @Test("a relay without TLS gets nothing if TLS was requested")
  func noTLS() throws {
    try withRelay(.none) { (folder, channel) throws in
      guard var mail = channel.kind as? MailChannel else { return }
      mail.encryption = .startTLS
      channel.kind = mail
      #expect(try deliver([channel]).failures.count == 1)
      #expect(try taken(folder).isEmpty)
    }
  }

  @Test("a refused recipient is reported with the relay's text")
  func recipient() throws {
    try withRelay(.none, refused: "mobile@example.org") { _, channel in
      let failure = try #require(try deliver([channel]).failures.first?.failure)
      #expect(failure.kind == .refused && failure.description.contains("no such person here"), "\(failure)")
    }
  }
}

/// A port that was free a moment ago.
func freePort() throws -> Int {
  let output = try Program.text(
    "python3",
    ["-c", "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"])
  return Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
}
