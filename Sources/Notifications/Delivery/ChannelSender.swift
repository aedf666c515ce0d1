internal import Foundation

/// Sends messages to one channel, one after the other, until the deadline of the run.
struct ChannelSender: Sendable {
  let channel: Channel
  let environment: [String: String]
  let limits: DispatchLimits
  let transport: any Transport
  /// Blocks for a number of seconds.
  let pause: @Sendable (Double) -> Void

  /// Sends messages in order, so that the end of an incident does not arrive before its beginning. After a failure that
  /// would also affect the next message, the remaining ones are left for the next run.
  func deliver(
    _ messages: [AlertMessage], now: Date, deadline: Deadline, report: (AlertMessage, Delivery.Outcome) -> Void
  ) {
    var stop: DeliveryFailure?
    for message in messages {
      if let stop {
        report(message, .failed(stop))
        continue
      }
      let failure = deliver(message, now, deadline)
      report(message, failure.map(Delivery.Outcome.failed) ?? .delivered)
      if let failure, failure.kind != .refused { stop = failure }
    }
  }

  private func deliver(_ message: AlertMessage, _ now: Date, _ deadline: Deadline) -> DeliveryFailure? {
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
        return DeliveryFailure(kind: .passing, description: "no time was left in this run")
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

  /// The failure that a result means, and the seconds of the receiver's `Retry-After`; nil and nil for success.
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
    return (300..<400).contains(status) ? "HTTP \(status), a redirect, which is not followed" : "HTTP \(status)"
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
