import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

@Suite(
  "The real Alertmanager", .serialized,
  .enabled(if: Receivers.alertmanager != nil, "`make test-packages` installs it, when there is a network"))
struct AlertmanagerTests {
  private struct Alert: Decodable {
    struct Status: Decodable { var state: String }
    var labels: [String: String]
    var annotations: [String: String]
    var startsAt: String
    var endsAt: String
    var generatorURL: String?
    var status: Status
  }

  @Test("the real Alertmanager shows an open incident, accepts repetitions as the same, and drops it when it resolves")
  func life() throws {
    try withFolder { folder in
      let port = try freePort()
      let config = "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n"
      try config.write(toFile: folder + "/config.yml", atomically: true, encoding: .utf8)
      let service = try Child(
        try #require(Receivers.alertmanager),
        [
          "--config.file=\(folder)/config.yml", "--storage.path=\(folder)/data",
          "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=",
        ], folder: folder)
      let server = "http://127.0.0.1:\(port)"
      try #require(eventually { (try? Self.alerts(server)) != nil }, "\(service.errors)")
      var channel = Channel(
        name: "am",
        kind: AlertmanagerChannel(address: .plain(server), labels: ["team": "mobile"], lasting: 86400))
      channel.network.allowsPrivate = true
      let dispatcher = Dispatcher(channels: [channel], environment: [:])
      func send(_ event: AlertMessage.Event, _ severity: Severity, after seconds: Int64) throws {
        var message = Sample.message
        message.identifier = "\(event)-\(seconds)"
        message.items = [Sample.item]
        message.items[0].event = event
        message.items[0].since = started
        message.event = event
        message.severity = severity
        message.time = Timestamp(milliseconds: started.milliseconds + seconds * 1000)
        let outbox = MemoryOutbox([Delivery(message: message, channel: "am")])
        #expect(try outbox.send(by: dispatcher).isEmpty && outbox.delivered.count == 1)
      }
      // Whole seconds: the format writes no fractions.
      let started = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 - 600) * 1000)

      try send(.opened, .critical, after: 0)
      #expect(eventually { (try? Self.alerts(server).count) == 1 })
      let alert = try #require(try Self.alerts(server).first)
      #expect(alert.labels["app"] == "com.example.shop" && alert.labels["team"] == "mobile")
      #expect(alert.labels["incident"] == Sample.item.incident && alert.status.state == "active")
      #expect(alert.annotations["summary"] == Sample.item.summary)
      #expect(alert.generatorURL == Sample.item.link)
      #expect(
        try Date(alert.startsAt, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
          .timeIntervalSince1970 == Double(started.milliseconds / 1000))

      try send(.stillBroken, .warning, after: 300)
      #expect(eventually { (try? Self.alerts(server).first?.annotations["event"]) == "still_broken" })
      #expect(try Self.alerts(server).count == 1)

      // By a clock that is a minute ahead of Alertmanager's.
      try send(.resolved, .critical, after: 660)
      #expect(eventually { (try? Self.alerts(server).isEmpty) == true })
      withExtendedLifetime(service) {}
    }
  }

  @Test(
    "the real Alertmanager accepts every hostile text",
    arguments: ["<!channel>\r\nx", "\u{202E}\u{0}", String(repeating: "&", count: 10_000)])
  func hostile(text: String) throws {
    try withFolder { folder in
      let port = try freePort()
      let config = "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n"
      try config.write(toFile: folder + "/config.yml", atomically: true, encoding: .utf8)
      let service = try Child(
        try #require(Receivers.alertmanager),
        [
          "--config.file=\(folder)/config.yml", "--storage.path=\(folder)/data",
          "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=",
        ], folder: folder)
      let server = "http://127.0.0.1:\(port)"
      try #require(eventually { (try? Self.alerts(server)) != nil }, "\(service.errors)")
      var channel = Channel(
        name: "am", kind: AlertmanagerChannel(address: .plain(server), labels: [:], lasting: 86400))
      channel.network.allowsPrivate = true
      var message = Sample.hostile(text)
      message.time = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970) * 1000)
      #expect(try deliver([channel], [message]).failures.map(\.failure.description) == [])
      #expect(eventually { (try? Self.alerts(server).count) == 1 })
      withExtendedLifetime(service) {}
    }
  }

  private static func alerts(_ server: String) throws -> [Alert] {
    let output = try Program.output("curl", ["-sf", "--max-time", "5", "\(server)/api/v2/alerts"])
    return try JSONDecoder().decode([Alert].self, from: Data(output))
  }
}
