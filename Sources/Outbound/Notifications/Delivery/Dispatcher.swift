public import Core
internal import Dispatch
internal import Foundation
public import Storage
internal import Synchronization

/// A message for one channel.
public struct Delivery: Sendable, Equatable {
  /// The message to send.
  public var message: AlertMessage
  /// The name of the channel that sends the message.
  public var channel: String

  public init(message: AlertMessage, channel: String) {
    self.message = message
    self.channel = channel
  }
}

/// Delivers messages to all channels in parallel. A channel that fails or hangs does not delay the others.
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

  /// Sends each message to its channel. Blocks for at most a second longer than `limits.total`.
  ///
  /// - Parameters:
  ///   - now: the time in signatures.
  ///   - record: receives each result at once: the failure, or nil if the receiver has confirmed the message. A
  ///     receiver that accepted a message whose delivery failed may receive it twice.
  /// - Returns: the failed deliveries.
  /// - Throws: the first error of `record`, after all deliveries were attempted.
  @discardableResult
  public func deliver(
    _ deliveries: [Delivery], now: Timestamp, record: (Delivery, DeliveryFailure?) throws -> Void = { _, _ in }
  ) throws -> [(delivery: Delivery, failure: DeliveryFailure)] {
    let mailbox = Mailbox<(Delivery, DeliveryFailure?)>()
    let deadline = Deadline(seconds: limits.total)
    for (name, group) in Dictionary(grouping: deliveries, by: \.channel) {
      start(name, group.map(\.message), now, deadline, mailbox)
    }
    var open = deliveries
    var failed: [(delivery: Delivery, failure: DeliveryFailure)] = []
    var thrown: (any Error)?
    func take(_ delivery: Delivery, _ failure: DeliveryFailure?) {
      guard let index = open.firstIndex(of: delivery) else { return }
      open.remove(at: index)
      if let failure { failed.append((delivery, failure)) }
      do { try record(delivery, failure) } catch { thrown = thrown ?? error }
    }
    // libcurl ends transfers at `limits.total`. One more second is allowed for closing them.
    let end = Deadline(seconds: limits.total + 1)
    while !open.isEmpty, let (delivery, failure) = mailbox.take(until: end) { take(delivery, failure) }
    let late = DeliveryFailure(kind: .passing, description: "no answer within \(Int(limits.total)) seconds")
    for delivery in open { take(delivery, late) }
    if let thrown { throw thrown }
    return failed
  }

  /// Starts a thread for the messages of one channel. The threads mostly wait, and would block Swift's thread pool,
  /// which has only one thread per core.
  private func start(
    _ name: String, _ messages: [AlertMessage], _ now: Timestamp, _ deadline: Deadline,
    _ mailbox: Mailbox<(Delivery, DeliveryFailure?)>
  ) {
    guard let channel = channels.first(where: { $0.name == name }) else {
      let failure = DeliveryFailure(
        kind: .setup, description: "there is no channel \(name.oneLine.cut(60)) in the settings")
      for message in messages { mailbox.put((Delivery(message: message, channel: name), failure)) }
      return
    }
    let sender = ChannelSender(
      channel: channel, environment: environment, limits: limits, transport: transport, pause: pause)
    Thread.detachNewThread {
      sender.deliver(messages, now: now, deadline: deadline) { message, failure in
        mailbox.put((Delivery(message: message, channel: name), failure))
      }
    }
  }
}

/// Sends messages to one channel in sequence, until the deadline of the run.
private struct ChannelSender: Sendable {
  let channel: Channel
  let environment: [String: String]
  let limits: DispatchLimits
  let transport: any Transport
  /// Blocks for a number of seconds.
  let pause: @Sendable (Double) -> Void

  /// Sends messages in order, so that the end of an incident does not arrive before its beginning. After a failure that
  /// would also affect the next message, the remaining messages are left for the next run.
  func deliver(
    _ messages: [AlertMessage], now: Timestamp, deadline: Deadline, report: (AlertMessage, DeliveryFailure?) -> Void
  ) {
    var stop: DeliveryFailure?
    for message in messages {
      if let stop {
        report(message, stop)
        continue
      }
      let failure = deliver(message, now, deadline)
      report(message, failure)
      if let failure, failure.kind != .refused { stop = failure }
    }
  }

  private func deliver(_ message: AlertMessage, _ now: Timestamp, _ deadline: Deadline) -> DeliveryFailure? {
    do {
      var secrets = SecretReader(environment: environment)
      let requests = try channel.kind.requests(for: message, now: now, secrets: &secrets)
      let redaction = Redaction(secrets.opened)
      for request in requests {
        if var failure = send(request, deadline) {
          failure.description = redaction.apply(failure.description).oneLine.cut(300)
          return failure
        }
      }
      return nil
    } catch {
      return DeliveryFailure(kind: .setup, description: error.description)
    }
  }

  private func send(_ request: ChannelRequest, _ deadline: Deadline) -> DeliveryFailure? {
    var wait = limits.firstPause
    for attempt in 1... {
      let remaining = deadline.remaining
      guard remaining > 0.05 else {
        return DeliveryFailure(kind: .passing, description: "the run's time limit was reached")
      }
      let (failure, retryAfter) = self.failure(of: once(request, min(remaining, channel.network.timeout)), request)
      guard let failure, failure.kind == .passing, attempt < limits.attempts else { return failure }
      let rest = max(wait, retryAfter ?? 0)
      guard rest <= limits.longestPause, rest < deadline.remaining else { return failure }
      pause(rest)
      wait *= 2
    }
    return nil
  }

  private func once(_ request: ChannelRequest, _ seconds: Double) -> TransferResult {
    let options = TransferOptions(
      allowsPrivate: channel.network.allowsPrivate, caFile: channel.network.caFile, proxy: channel.network.proxy,
      connectTime: min(5, seconds), totalTime: seconds)
    return switch request {
    case .web(let request): transport.send(request, options)
    case .mail(let request): transport.send(request, options)
    }
  }

  /// The failure of a result and the seconds of the receiver's `Retry-After`; both nil for success.
  private func failure(of result: TransferResult, _ request: ChannelRequest) -> (DeliveryFailure?, Double?) {
    switch result {
    case .failed(let reason, let isPassing):
      return (DeliveryFailure(kind: isPassing ? .passing : .setup, description: reason), nil)
    case .answered(let answer):
      guard let kind = Self.kind(answer.status, request) else { return (nil, nil) }
      let words = answer.words.oneLine.cut(200)
      return (
        DeliveryFailure(
          kind: kind, description: Self.name(answer.status, request) + (words.isEmpty ? "" : ": \(words)")),
        answer.retryAfter
      )
    }
  }

  private static func name(_ status: Int, _ request: ChannelRequest) -> String {
    guard case .web = request else { return "the relay answered \(status)" }
    return (300..<400).contains(status) ? "HTTP \(status): redirects are not followed" : "HTTP \(status)"
  }

  private static func kind(_ status: Int, _ request: ChannelRequest) -> DeliveryFailure.Kind? {
    guard case .web = request else {
      // RFC 5321 §4.2.1: replies 4yz are temporary. 530 to 539 concern the login.
      return status < 400 ? nil : status < 500 ? .passing : (530..<540).contains(status) ? .setup : .refused
    }
    return switch status {
    case 200..<300: nil
    case 408, 425, 429, 500...: .passing
    case 401, 403, 404, 407, ..<400: .setup
    default: .refused
    }
  }
}

extension Dispatcher {
  /// Sends a test message that opens an incident, and another that resolves it, so that no incident stays open at the
  /// receiver.
  ///
  /// - Parameter name: the name of a channel.
  /// - Returns: the failed deliveries.
  public func sendTest(to name: String, now: Timestamp) throws -> [(delivery: Delivery, failure: DeliveryFailure)] {
    let messages = [AlertMessage.Event.opened, .resolved].map { Self.test($0, channel: name, now: now) }
    return try deliver(messages.map { Delivery(message: $0, channel: name) }, now: now)
  }

  private static func test(_ event: AlertMessage.Event, channel: String, now: Timestamp) -> AlertMessage {
    let key = "plumb-test-\(channel)-\(now.milliseconds / 1000)"
    let words = event.isOpen ? "This is a test of channel \(channel)" : "The test of channel \(channel) has ended"
    let item = AlertMessage.Item(
      incident: key, event: event, summary: "\(words). No app is affected.", advice: "No action is needed.",
      since: now)
    return AlertMessage(
      identifier: "\(key)-\(event.rawValue)", event: event, severity: .info, app: "plumb.test", title: words,
      items: [item], time: now)
  }
}

/// The reason why a message was not delivered, without secrets.
public struct DeliveryFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// Whether and how a failure can be resolved.
  public enum Kind: Sendable {
    /// A temporary failure: no connection, or status 408, 425, 429 or 5xx.
    case passing
    /// A failure that requires a change of the settings or at the receiver: an unreadable secret, an address that is
    /// not allowed, status 401, 403 or 404, or an invalid certificate.
    case setup
    /// A permanent failure: the receiver will never accept this message. Any other 4xx status.
    case refused
  }

  /// Whether and how the failure can be resolved.
  public var kind: Kind
  /// One line, which may quote the beginning of the receiver's response.
  public var description: String
}

/// The time limits and retries of one run.
public struct DispatchLimits: Sendable, Equatable {
  /// The limit of the whole run, in seconds.
  var total = 60.0
  /// The number of attempts per request, including the first.
  var attempts = 3
  /// The pause after the first failure, in seconds. Each further pause is twice as long.
  var firstPause = 1.0
  /// The longest pause, in seconds. If a receiver requests a longer pause, the retry is left for the next run.
  var longestPause = 10.0

  /// The defaults: a minute, three attempts, pauses of 1 and 2 seconds.
  public init() {}
}

/// A point in time on the monotonic clock, which is never set back.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(seconds: Double) { end = .now + .seconds(seconds) }

  /// Seconds until the deadline; 0 after it.
  var remaining: Double { max(0, (end - .now) / .seconds(1)) }
}

/// A queue with many writing threads and one reading thread.
final class Mailbox<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// The oldest value. Waits for one until `deadline`; nil if there is none by then.
  func take(until deadline: Deadline) -> Value? {
    guard count.wait(timeout: .now() + deadline.remaining) == .success else { return nil }
    return values.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
