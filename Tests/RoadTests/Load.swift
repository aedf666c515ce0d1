import Foundation
import Synchronization
import Testing
import TestSupport

/// Clients that post as fast as they can, each on a connection of its own, and send what was not acknowledged again
/// with the same key.
final class Load: Sendable {
  /// What clients know to be acknowledged, and what the report must therefore say.
  struct Ledger {
    var messages = 0
    var sessions = 0
    var crashed = 0
    var measured = 0
    var measuredSum = 0
    var foreground = 0
    /// Answers by status.
    var answers: [Int: Int] = [:]
    /// Requests whose connection ended without an answer.
    var unanswered = 0
    /// The number of acknowledged messages of each client, which sends them in order.
    var delivered: [Int: Int] = [:]

    fileprivate mutating func add(_ message: Message) {
      messages += 1
      sessions += 2
      crashed += message.crashed
      measured += 1
      measuredSum += message.value
      foreground += message.foreground
      delivered[message.client, default: 0] += 1
    }
  }

  /// What several loads sent together, whose clients of the same number send the same messages.
  static func union(_ loads: [Load]) -> Ledger {
    var sum = Ledger()
    let delivered = loads.map(\.ledger.delivered).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) }
    for (client, count) in delivered {
      for number in 0..<count { sum.add(Message(client: client, number: number)) }
    }
    return sum
  }

  private struct State {
    var ledger = Ledger()
    var isEnding = false
  }

  private let state = Mutex(State())
  /// Where the server is; 0 while there is none.
  private let port = Atomic(0)
  private let key: String
  private let retries: Bool
  /// The number of the first client. Clients of the same number send the same messages.
  private let first: Int

  /// Without `retries`, a client ends at its first failure.
  init(key: String, retries: Bool = true, client first: Int = 0) {
    self.key = key
    self.first = first
    self.retries = retries
  }

  func aim(at server: ServerProcess?) { port.store(server?.port ?? 0, ordering: .sequentiallyConsistent) }

  /// Starts the clients.
  func start(clients: Int) -> Crew {
    Crew(clients) { client in
      var number = 0
      while !self.isEnding, self.deliver(Message(client: self.first + client, number: number)) { number += 1 }
    }
  }

  /// Lets every client finish the message it is at.
  func end() { state.withLock { $0.isEnding = true } }

  var ledger: Ledger { state.withLock { $0.ledger } }
  private var isEnding: Bool { state.withLock { $0.isEnding } }

  /// Sends until there is an acknowledgement. False when the client gives up.
  private func deliver(_ message: Message) -> Bool {
    let deadline = Date().addingTimeInterval(240)
    while Date() < deadline {
      if let client = connection(),
        let status = client.send(
          "POST", "/v1/payloads", [("Authorization", "Bearer \(key)"), ("Idempotency-Key", message.name)],
          body: message.body)?.status
      {
        note(status)
        if status == 202 || status == 200 {
          acknowledge(message)
          return true
        }
      } else if connection() != nil {
        state.withLock { $0.ledger.unanswered += 1 }
      }
      forget()
      if !retries { return false }
      usleep(2000)
    }
    return false
  }

  private func note(_ status: Int) { state.withLock { $0.ledger.answers[status, default: 0] += 1 } }

  private func acknowledge(_ message: Message) { state.withLock { $0.ledger.add(message) } }

  /// The calling thread's connection; nil when the server cannot be reached.
  private func connection() -> HTTPClient? {
    let store = Thread.current.threadDictionary
    let port = port.load(ordering: .sequentiallyConsistent)
    if let kept = store["client"] as? HTTPClient, store["port"] as? Int == port { return kept }
    let fresh = port == 0 ? nil : HTTPClient(port: port)
    guard let fresh, fresh.isConnected else { return nil }
    store["client"] = fresh
    store["port"] = port
    return fresh
  }

  private func forget() { Thread.current.threadDictionary.removeObject(forKey: "client") }
}

/// A message that no other client sends, with numbers that can be added up by hand.
fileprivate struct Message {
  let client: Int
  let number: Int

  var name: String { "\(client)-\(number)" }
  var crashed: Int { number % 10 == 0 ? 1 : 0 }
  var value: Int { 1 + (client * 31 + number * 7) % 97 }
  var foreground: Int { 1 + (client + number) % 5 }

  var body: String {
    let second = crashed == 1 ? "crashed" : "ok"
    return Payload.native(
      """
      "sessions":[{"id":"a-\(name)","status":"exited"},{"id":"b-\(name)","status":"\(second)"}]
      """,
      Payload.measurements("screen.load", [value]), Payload.counter("time.foreground", foreground))
  }
}

extension Load.Ledger {
  /// Expects a report of exactly what was acknowledged.
  func expectExactly(in stage: Stage) throws {
    let report = try stage.report()
    #expect(report["sessions"]["total"].integer == sessions)
    #expect(report["sessions"]["crashed"].integer == crashed)
    #expect(report.metric("screen.load")["n"].integer == measured)
    #expect(report.metric("screen.load")["sum"].number == Double(measuredSum))
    #expect(report.metric("time.foreground")["sum"].number == Double(foreground))
  }
}
