internal import Dispatch
public import Foundation
internal import Synchronization

/// Delivers pending messages to all channels in parallel. A channel that fails or hangs does not delay the others.
public struct Dispatcher: Sendable {
  let channels: [Channel]
  let environment: [String: String]
  let limits: DispatchLimits
  let transport: any Transport
  let pause: @Sendable (Double) -> Void

  /// - Parameters:
  ///   - channels: the channels of the settings.
  ///   - environment: the environment variables that may contain secrets.
  public init(channels: [Channel], environment: [String: String], limits: DispatchLimits = DispatchLimits()) {
    self.init(
      channels: channels, environment: environment, limits: limits, transport: CurlTransport(),
      pause: { Thread.sleep(forTimeInterval: $0) })
  }

  init(
    channels: [Channel], environment: [String: String], limits: DispatchLimits, transport: any Transport,
    pause: @escaping @Sendable (Double) -> Void
  ) {
    self.channels = channels
    self.environment = environment
    self.limits = limits
    self.transport = transport
    self.pause = pause
  }

  /// Delivers everything pending in `outbox` and records each result there at once. Blocks for at most a second longer
  /// than `limits.total`.
  ///
  /// - Parameter now: the time in signatures and in the recorded results.
  /// - Returns: the results, in the order in which they became known.
  /// - Throws: the first error of the outbox, after all deliveries were tried.
  public func deliver(_ outbox: some Outbox, now: Date) throws -> [Delivery.Report] {
    let pending = try outbox.pending()
    var failure: (any Error)?
    let reports = run(pending, now: now) { report in
      do {
        switch report.outcome {
        case .delivered: try outbox.markDelivered(report.delivery, at: now)
        case .failed(let reason): try outbox.markFailed(report.delivery, reason, at: now)
        }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return reports
  }

  private func run(
    _ pending: [Delivery], now: Date, record: (Delivery.Report) -> Void
  ) -> [Delivery.Report] {
    let mailbox = Mailbox<Delivery.Report>()
    let deadline = Deadline(seconds: limits.total)
    for (name, deliveries) in Dictionary(grouping: pending, by: \.channel) {
      start(name, deliveries.map(\.message), now, deadline, mailbox)
    }
    var open = pending
    var reports: [Delivery.Report] = []
    func take(_ report: Delivery.Report) {
      guard let index = open.firstIndex(of: report.delivery) else { return }
      open.remove(at: index)
      reports.append(report)
      record(report)
    }
    // libcurl ends transfers at `limits.total`; one more second is for closing them.
    let end = Deadline(seconds: limits.total + 1)
    while !open.isEmpty, let report = mailbox.take(until: end) { take(report) }
    let late = DeliveryFailure(kind: .passing, description: "there was no answer within \(Int(limits.total)) seconds")
    for delivery in open { take(Delivery.Report(delivery: delivery, outcome: .failed(late))) }
    return reports
  }

  /// Starts a thread for the messages of one channel. These threads only wait; Swift's own thread pool has only as many
  /// threads as the machine has cores.
  private func start(
    _ name: String, _ messages: [AlertMessage], _ now: Date, _ deadline: Deadline,
    _ mailbox: Mailbox<Delivery.Report>
  ) {
    guard let channel = channels.first(where: { $0.name == name }) else {
      let failure = DeliveryFailure(
        kind: .setup, description: "there is no channel \(name.oneLine.cut(60)) in the settings")
      for message in messages {
        mailbox.put(Delivery.Report(delivery: Delivery(message: message, channel: name), outcome: .failed(failure)))
      }
      return
    }
    let sender = ChannelSender(
      channel: channel, environment: environment, limits: limits, transport: transport, pause: pause)
    Thread.detachNewThread {
      sender.deliver(messages, now: now, deadline: deadline) { message, outcome in
        mailbox.put(Delivery.Report(delivery: Delivery(message: message, channel: name), outcome: outcome))
      }
    }
  }
}

extension Dispatcher {
  /// Sends a test message that opens an incident, and one that resolves it, so that no incident stays open at the
  /// receiver.
  ///
  /// - Parameter name: the name of a channel.
  /// - Returns: the results of both messages.
  public func sendTest(to name: String, now: Date) throws -> [Delivery.Report] {
    let messages = [AlertMessage.Event.opened, .resolved].map { Self.test($0, channel: name, now: now) }
    return try deliver(SingleUseOutbox(deliveries: messages.map { Delivery(message: $0, channel: name) }), now: now)
  }

  private static func test(_ event: AlertMessage.Event, channel: String, now: Date) -> AlertMessage {
    let key = "plumb-test-\(channel)-\(Int(now.timeIntervalSince1970))"
    let words = event.isOpen ? "This is a test of the channel \(channel)" : "The test of the channel \(channel) is over"
    let item = AlertMessage.Item(
      incident: key, event: event, summary: "\(words): no app is affected.", advice: "Nothing is to be done.",
      since: now)
    return AlertMessage(
      identifier: "\(key)-\(event.rawValue)", event: event, severity: .info, app: "plumb.test", title: words,
      items: [item], time: now)
  }
}

/// The time limits and retries of one run.
public struct DispatchLimits: Sendable, Equatable {
  /// The limit of the whole run, in seconds.
  public var total = 60.0
  /// The number of attempts per request, including the first.
  public var attempts = 3
  /// The pause after the first failure, in seconds. Each further pause is twice as long.
  public var firstPause = 1.0
  /// The longest pause, in seconds. If a receiver asks for a longer one, the retry is left for the next run.
  public var longestPause = 10.0

  /// The defaults: a minute, three attempts, pauses of 1 and 2 seconds.
  public init() {}
}

/// A point in time on the monotonic clock, which the system never sets back.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(seconds: Double) { end = .now + .seconds(seconds) }

  /// Seconds until the deadline; 0 after it.
  var remaining: Double { max(0, (end - .now) / .seconds(1)) }
}

/// A queue that many threads write to and one thread reads.
final class Mailbox<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// Waits for the oldest value until `deadline`; nil if there is none by then.
  func take(until deadline: Deadline) -> Value? {
    guard count.wait(timeout: .now() + deadline.remaining) == .success else { return nil }
    return values.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
