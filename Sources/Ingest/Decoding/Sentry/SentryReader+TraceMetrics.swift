internal import Core

/// Source: develop.sentry.dev/sdk/telemetry/metrics
extension SentryReader {
  /// Reads a `trace_metric` item: counters, gauges and distributions, each with its own release and device. A metric
  /// that cannot be read is left out; the others are kept.
  mutating func readMetrics(_ payload: JSONObject) throws {
    for element in try payload.required("items").array() {
      guard let metric = element.objectOrNil, let name = metric.text("name"), let type = metric.text("type"),
        let number = metric["value"]?.numberOrNil
      else {
        reject("a metric needs the members name, type and value")
        continue
      }
      read(metric, name.kept, type, number)
    }
  }

  private mutating func read(
    _ metric: JSONObject, _ name: String, _ type: BorrowedJSONString, _ number: Double
  ) {
    let shape: MetricMapping.Shape
    switch type {
    case "counter": shape = .counter
    case "gauge", "distribution": shape = .level(isWhole: false)
    default: return reject("\(name): type must be counter, gauge or distribution")
    }
    let time = metric["timestamp"].flatMap { clock.instant($0) }
    if time == nil { assumedTimes += 1 }
    let attributes = SentryAttributes(metric.object("attributes"), context)
    let place = SentryPlace(
      origin: attributes.origin, time: time ?? context.received,
      label: Catalogue.metric(named: name).map(attributes.label) ?? attributes.ownLabel)
    keep(name, number, metric.text("unit")?.kept ?? "", place, shape)
  }
}

/// The attributes of a Sentry metric. Those that the client adds give the release and device; those of the app become
/// the label.
struct SentryAttributes {
  private let attributes: JSONObject?
  private let context: DecodingContext

  /// The most attributes that become a label. A longer label would be cut.
  private static let most = 64

  init(_ attributes: JSONObject?, _ context: DecodingContext) {
    self.attributes = attributes
    self.context = context
  }

  /// The text of an attribute, `{"type": "string", "value": "…"}`.
  private func text(_ key: StaticString) -> String? { attributes?.object(key)?.name("value") }

  var origin: SentryOrigin {
    let name = SentryRelease(text("sentry.release") ?? "")
    let system = text("os.name") ?? ""
    return SentryOrigin(
      bundleID: name.package, release: name.release, environment: text("sentry.environment") ?? "production",
      device: Device(
        model: text("device.model") ?? "",
        system: OperatingSystem(name: system == "iPhone OS" ? "iOS" : system, version: text("os.version") ?? "")),
      attributes: appAttributes)
  }

  private var appAttributes: [AppAttribute] {
    guard let attributes else { return [] }
    return context.attributes { name in
      let wanted = Array(name.utf8)
      for (key, value) in attributes where key == wanted {
        return value.objectOrNil.flatMap(Self.plainText).flatMap { AppAttribute(name: name, value: $0) }
      }
      return nil
    }
  }

  /// The label of a catalogue metric: the attribute that the catalogue names; empty without one.
  func label(of metric: Metric) -> String {
    switch metric.labelledBy {
    case "screen": text("screen") ?? text("screen.name") ?? text("view") ?? ""
    case "view": text("view") ?? text("view.name") ?? text("screen") ?? ""
    case "host": text("host") ?? text("server.address") ?? ""
    case "endpoint": text("endpoint") ?? text("http.route") ?? ""
    case "interaction": text("interaction") ?? text("action") ?? ""
    case "flow": text("flow") ?? ""
    default: ""
    }
  }

  /// The label of a custom metric: all attributes from the app, as `k=v, k=v` in the order of keys. Attributes from the
  /// client are left out, because they are the release and device or identify the user.
  var ownLabel: String {
    guard let attributes else { return "" }
    let own = context.attributes.map { Array($0.utf8) }
    var parts: [(key: String, text: String)] = []
    for (key, value) in attributes where parts.count < Self.most && !Self.isClients(key) {
      // The app's attributes already distinguish the data.
      if own.contains(where: { key == $0 }) { continue }
      guard let attribute = value.objectOrNil, let text = Self.plainText(attribute) else { continue }
      parts.append((key.kept, text))
    }
    return parts.sorted { $0 < $1 }.map { "\($0.key)=\($0.text)" }.joined(separator: ", ").kept
  }

  private static func plainText(_ attribute: JSONObject) -> String? {
    if let flag = attribute.boolean("value") { return flag ? "true" : "false" }
    return attribute.name("value") ?? attribute.number("value").map { "\($0)" }
  }

  /// Whether the client adds the attribute.
  private static func isClients(_ key: BorrowedJSONString) -> Bool {
    for prefix in ["sentry.", "user.", "os.", "device.", "browser.", "process.", "server."]
    where key.bytes.starts(with: prefix.utf8) { return true }
    return false
  }
}
