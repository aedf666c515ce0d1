import Core

/// The part of an app's data that is deleted.
public enum ErasureScope: Sendable, Hashable {
  /// Everything, with the app itself.
  case app
  /// A version with all its builds, or one build: a release's title.
  case release(String)
  /// Data with these days, by the app's clocks.
  case days(Window)
  /// A metric, by name.
  case metric(String)
  /// A label of a metric with its values.
  case label(String, metric: String)
  /// The payload that was sent with an idempotency key, by the hash of the key.
  case payload(UInt64)
  /// Sessions and diagnostics of a user or installation, by the hash of its id.
  case user(UInt64)
}

extension ErasureScope {
  /// The kind and the subject in their stored form.
  public var stored: (kind: String, subject: String) {
    switch self {
    case .app: ("app", "")
    case .release(let title): ("release", title)
    case .days(let window): ("days", "\(window.from.iso)..\(window.to.iso)")
    case .metric(let name): ("metric", name)
    case .label(let label, let metric): ("label", metric + "\n" + label)
    case .payload(let key): ("payload", String(key, radix: 16))
    case .user(let user): ("user", String(user, radix: 16))
    }
  }

  /// Parses the form of `stored`; nil for any other text.
  public init?(kind: String, subject: String) {
    switch kind {
    case "app": self = .app
    case "release": self = .release(subject)
    case "days":
      guard let middle = subject.firstRange(of: ".."),
        let from = CalendarDay(iso: String(subject[..<middle.lowerBound])),
        let to = CalendarDay(iso: String(subject[middle.upperBound...])), from <= to
      else { return nil }
      self = .days(Window(from: from, to: to))
    case "metric": self = .metric(subject)
    case "label":
      guard let middle = subject.firstIndex(of: "\n") else { return nil }
      self = .label(String(subject[subject.index(after: middle)...]), metric: String(subject[..<middle]))
    case "payload", "user":
      guard let hash = UInt64(subject, radix: 16) else { return nil }
      self = kind == "user" ? .user(hash) : .payload(hash)
    default: return nil
    }
  }

  /// The scope as a phrase: `the release 4.2.0`. For a user or a payload only the hash is known.
  public var title: String {
    switch self {
    case .app: "the app and all its data"
    case .release(let title): "the release \(title)"
    case .days(let window):
      window.days == 1 ? "the day \(window.from.iso)" : "the days \(window.from.iso) to \(window.to.iso)"
    case .metric(let name): "the metric \(name)"
    case .label(let label, let metric): "the label \(label) of the metric \(metric)"
    case .payload(let key): "the payload with the key whose hash is \(String(key, radix: 16))"
    case .user(let user): "the user or installation whose hash is \(String(user, radix: 16))"
    }
  }
}
