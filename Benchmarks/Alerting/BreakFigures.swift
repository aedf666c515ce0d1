import Core
import Foundation
import Storage

/// The messages and incidents about one break in one run. Times are days since the start.
struct BreakFigures: Codable, Sendable {
  var scenario: String
  var seed: UInt64
  var isHealthy: Bool
  /// The time from the break to the first message about it; nil if there was none.
  var found: Double?
  /// The incidents that report the break.
  var incidents = 0
  /// The messages within a day after the first one, which is not counted.
  var firstDay = 0
  /// All messages about the break.
  var messages = 0
  /// Those that only repeat that the break is still open.
  var reminders = 0
  /// The messages about an open break that came within a day after another one and did not ask for more than it.
  var repeated = 0
  /// The messages about anything but the break.
  var falseMessages = 0
  /// The messages, as lines of text.
  var story: [String] = []

  init(_ scenario: Scenario, seed: UInt64, _ book: SimulatedBook) {
    self.scenario = scenario.name
    self.seed = seed
    isHealthy = scenario.fault == nil
    let start = Int64(Scenario.origin) * 86_400_000
    func day(_ time: Timestamp) -> Double { Double(time.milliseconds - start) / 86_400_000 }
    let reporting = Set(
      book.all.values.filter { incident in
        incident.breaches.contains { scenario.fault?.explains($0.key, on: day($0.opened)) ?? false }
      }.map(\.id))
    let own = book.messages.filter { $0.message.items.contains { reporting.contains($0.incident) } }
    incidents = reporting.count
    messages = own.count
    falseMessages = book.messages.count - own.count
    reminders = own.count { $0.message.items.allSatisfy { $0.event == .stillBroken } }
    story = book.messages.map { sent in
      let isFalse = !sent.message.items.contains { reporting.contains($0.incident) }
      let first = sent.message.title.prefix(200)
      return "\(String(format: "%.2f", day(sent.message.time))) \(isFalse ? "FALSE " : "")\(first)"
    }
    guard let first = own.first, let fault = scenario.fault else { return }
    found = day(first.message.time) - fault.days.lowerBound
    firstDay = own.dropFirst().count { day($0.message.time) - day(first.message.time) < 1 - 1e-6 }
    repeated = zip(own, own.dropFirst()).count { before, next in
      next.level > .ended && next.message.items.contains { $0.event != .resolved && $0.event != .retired }
        && next.message.time.milliseconds - before.message.time.milliseconds < 86_400_000 && next.level <= before.level
    }
  }
}
