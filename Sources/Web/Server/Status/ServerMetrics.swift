import Core
import Ingest
import Storage

/// The metrics about the health of the server: its version, its faults, the last payload of each app, refused payloads
/// by reason, and channels that fail.
struct ServerMetrics {
  private let backend: any PayloadBackend

  init(_ backend: any PayloadBackend) { self.backend = backend }

  /// All metric families. `isControlReadable`: whether the last read of the control database succeeded. A family that
  /// cannot be read is counted in `metrics_unread` and logged, and the others are still returned.
  func families(isControlReadable: Bool) -> [MetricFamily] {
    var failed: [String] = []
    func read(_ part: String, _ body: () throws -> [MetricFamily]) -> [MetricFamily] {
      do {
        return try body()
      } catch {
        backend.report(error)
        failed.append(part)
        return []
      }
    }
    let families =
      [build, faults(isControlReadable)] + read("apps") { try appFamilies() } + read("channels") { [try channels()] }
      + read("nodes") { try backend.nodeMetrics() }
    let unread = failed.map { (MetricFamily.labels([("part", $0)]), 1.0) }
    return families + [
      MetricFamily(name: "metrics_unread", help: "Parts of this response that could not be read.", samples: unread)
    ]
  }

  private var build: MetricFamily {
    let labels = MetricFamily.labels([("version", backend.settings.version), ("commit", backend.settings.commit)])
    return MetricFamily(name: "build_info", help: "The version and commit of this server.", samples: [(labels, 1)])
  }

  private func faults(_ isControlReadable: Bool) -> MetricFamily {
    let count = backend.faults().count + (isControlReadable ? 0 : 1)
    return MetricFamily(
      name: "faults", help: "Reasons why payloads cannot be stored or counted now; /readyz lists them.",
      samples: [("", Double(count))])
  }

  private func appFamilies() throws -> [MetricFamily] {
    let names = Dictionary(try backend.control.apps().map { ($0.id, $0.bundleID) }) { first, _ in first }
    let received = try backend.lastReceived().compactMap { app, time in
      names[app].map { (labels: MetricFamily.labels([("app", $0)]), value: Double(time.milliseconds / 1000)) }
    }
    let outcomes = backend.intake.outcomesSinceStart.compactMap { total, count in
      names[total.app].map { name in
        (
          labels: MetricFamily.labels([("app", name), ("kind", total.kind.name), ("reason", total.reason)]),
          value: Double(count)
        )
      }
    }
    return [
      MetricFamily(
        name: "app_last_payload_timestamp_seconds", help: "When the last payload of an app was received.",
        samples: received.sorted { $0.labels < $1.labels }),
      MetricFamily(
        name: "payload_outcomes_total", help: "Payloads that were refused, repeated or partly used, by reason.",
        type: "counter", samples: outcomes.sorted { $0.labels < $1.labels }),
    ]
  }

  private func channels() throws -> MetricFamily {
    let dayAgo = Timestamp(milliseconds: backend.now().milliseconds - 86_400_000)
    let samples = try backend.control.undeliveredMessages(since: dayAgo).map { channel, count in
      (labels: MetricFamily.labels([("channel", channel)]), value: Double(count))
    }
    return MetricFamily(
      name: "channel_undelivered_messages",
      help: "Alert messages of the last day that a channel has failed to deliver.",
      samples: samples.sorted { $0.labels < $1.labels })
  }
}
