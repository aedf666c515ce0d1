public import Foundation

/// Delivers what is pending, to all channels at once. A channel that fails or hangs holds up no other.
public struct Dispatcher: Sendable {
  let channels: [Channel]
  let environment: [String: String]
  let limits: DispatchLimits
  let transport: any Transport
  let pause: @Sendable (Double) -> Void

  /// - Parameters:
  ///   - channels: those of the settings.
  ///   - environment: the variables that secrets may be in.
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

  /// Delivers everything that is pending in `outbox` and tells it what became of each, as soon as that is known. It
  /// blocks, for a little longer than `limits.total` at most.
  ///
  /// - Parameter now: the time of signatures, and the one that the outbox is told.
  /// - Returns: what became of each, in the order in which that was known.
  /// - Throws: the first error of the outbox; what can be delivered is delivered all the same.
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
    _ pending: [Delivery], now: Date, tell: (Delivery.Report) -> Void
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
      tell(report)
    }
    // libcurl keeps its own limit; a second more is for what it does behind it.
    let end = Deadline(seconds: limits.total + 1)
    while !open.isEmpty, let report = mailbox.take(until: end) { take(report) }
    let late = DeliveryFailure(kind: .passing, description: "there was no answer within \(Int(limits.total)) seconds")
    for delivery in open { take(Delivery.Report(delivery: delivery, outcome: .failed(late))) }
    return reports
  }

  /// A thread for each channel: all they do is wait, and Swift's own threads are as many as the machine has cores.
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
    let courier = ChannelSender(
      channel: channel, environment: environment, limits: limits, transport: transport, pause: pause)
    Thread.detachNewThread {
      courier.deliver(messages, now: now, deadline: deadline) { message, outcome in
        mailbox.put(Delivery.Report(delivery: Delivery(message: message, channel: name), outcome: outcome))
      }
    }
  }
}
