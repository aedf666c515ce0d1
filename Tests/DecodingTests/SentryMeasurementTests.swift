import Testing

@testable import Core
@testable import Ingest

/// A transaction as sentry-cocoa 9 writes it when the app's first screen loads.
private func transaction(
  _ measurements: String, sdk: String = #"{"name":"sentry.cocoa","version":"9.26.0"}"#, startType: String = "cold",
  op: String = "ui.load", source: String = "component", spans: String = ""
) -> (type: String, payload: String) {
  (
    "transaction",
    #"{"type":"transaction","event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0","transaction":"Shop.CartViewController","#
      + #""transaction_info":{"source":"\#(source)"},"start_timestamp":1795251598.25,"timestamp":1795251600.5,"#
      + #""release":"com.example.shop@4.2.0+1234","environment":"production","sdk":\#(sdk),"#
      + #""contexts":{"device":{"model":"iPhone15,2"},"os":{"name":"iOS","version":"17.4.1"},"#
      + #""app":{"start_type":"\#(startType)"},"trace":{"op":"\#(op)","origin":"auto.ui.view_controller"}},"#
      + #""spans":[\#(spans)],"measurements":{\#(measurements)}}"#
  )
}

/// Names, labels and values, in the order of names.
private func values(_ decoded: Decoded) -> [String] {
  decoded.reports.flatMap(\.measurements).map { measurement in
    let label = measurement.label.isEmpty ? "" : " [\(measurement.label)]"
    switch measurement.value {
    case .samples(let samples): return "\(measurement.metric.name)\(label) \(samples) \(measurement.metric.unit.symbol)"
    case .counter(let sum): return "\(measurement.metric.name)\(label) +\(sum)"
    default: return "\(measurement.metric.name): \(measurement.value)"
    }
  }.sorted()
}

@Suite("A Sentry transaction")
struct SentryTransactionTests {
  private static let screen = "[Shop.CartViewController]"

  @Test("a Sentry transaction becomes launch times, frames and times to display, for its release and device")
  func whole() throws {
    let decoded = try decode(
      envelope: envelope(
        transaction(
          #"""
          "app_start_cold":{"value":812.5},"frames_total":{"value":200},"frames_slow":{"value":10},\#
          "frames_frozen":{"value":1},"time_to_initial_display":{"value":420.25,"unit":"millisecond"},\#
          "cart_items":{"value":3},"payload":{"value":2,"unit":"kilobyte"}
          """#)))
    #expect(
      values(decoded) == [
        "app_start_cold [812.5] ms", "cart_items \(Self.screen) [3.0] count", "frames_frozen \(Self.screen) +1.0",
        "frames_frozen_rate \(Self.screen) [0.005] ratio", "frames_slow \(Self.screen) +10.0",
        "frames_slow_rate \(Self.screen) [0.05] ratio", "frames_total \(Self.screen) +200.0",
        "launch.first_draw [812.5] ms", "payload \(Self.screen) [2000.0] B",
        "time_to_initial_display \(Self.screen) [420.25] ms", "transaction.duration \(Self.screen) [2250.0] ms",
      ])
    let report = try #require(decoded.reports.first)
    #expect(report.source == .sentry && report.release == Release(version: "4.2.0", build: "1234"))
    #expect(report.device == Device(model: "iPhone15,2", system: OperatingSystem(name: "iOS", version: "17.4.1")))
    #expect(report.measurements.allSatisfy { $0.time == .instant(Timestamp(milliseconds: 1_795_251_600_500)) })
    #expect(decoded.eventID == "fc6d8c0c43fc4630ad850ee518f1b9d0" && decoded.rejection == nil)
  }

  @Test(
    "a Sentry transaction is a catalogue launch only if its client ends a launch at the first frame",
    arguments: [
      (#"{"name":"sentry.cocoa","version":"9.0.0"}"#, "cold", "launch.first_draw"),
      (#"{"name":"sentry.cocoa","version":"10.1.0"}"#, "warm", "launch.first_draw"),
      (#"{"name":"sentry.cocoa","version":"9.26.0"}"#, "warm.prewarmed", "launch.first_draw_prewarmed"),
      (#"{"name":"sentry.cocoa","version":"8.57.0"}"#, "cold", nil),
      (#"{"name":"sentry.cocoa.react-native","version":"9.26.0"}"#, "cold", nil),
      (#"{"name":"sentry.javascript.react-native","version":"9.1.0"}"#, "cold", nil), ("{}", "cold", nil),
      (#"{"name":"sentry.cocoa","version":"x"}"#, "cold", nil),
    ] as [(String, String, String?)])
  func launches(sdk: String, startType: String, metric: String?) throws {
    let decoded = try decode(
      envelope: envelope(transaction(#""app_start_warm":{"value":300}"#, sdk: sdk, startType: startType)))
    let launches = values(decoded).filter { $0.hasPrefix("launch.") }
    #expect(launches == (metric.map { ["\($0) [300.0] ms"] } ?? []))
    #expect(values(decoded).contains("app_start_warm [300.0] ms"))
  }

  @Test("a Sentry transaction is a screen load if the app reports the screen as complete and no launch is part of it")
  func screens() throws {
    func loads(_ measurements: String, op: String = "ui.load", spans: String = "") throws -> [String] {
      try values(decode(envelope: envelope(transaction(measurements, op: op, spans: spans))))
        .filter { $0.contains("full_display") || $0.contains("screen.load") }
    }
    let full = #""time_to_full_display":{"value":900,"unit":"millisecond"}"#
    let kept = "time_to_full_display \(Self.screen) [900.0] ms"
    #expect(try loads(full) == ["screen.load \(Self.screen) [900.0] ms", kept])
    #expect(try loads(full, op: "ui.action") == [kept])
    #expect(try loads(full + #","app_start_cold":{"value":700}"#) == [kept])
    // The client waited in vain and wrote the time to initial display.
    let late = #"{"op":"ui.load.full_display","status":"deadline_exceeded"}"#
    #expect(try loads(full, spans: late) == [])
    #expect(try loads(full, spans: #"{"op":"ui.load.full_display","status":"ok"},7"#).count == 2)
  }

  @Test("a Sentry transaction named by a URL's path has no label, and standalone app starts keep their own names")
  func labels() throws {
    let url = try decode(envelope: envelope(transaction(#""x":{"value":1}"#, source: "url")))
    #expect(values(url) == ["transaction.duration [2250.0] ms", "x [1.0] count"])
    let standalone = """
      {"transaction":"App Start","sdk":{"name":"sentry.cocoa","version":"9.26.0"},"contexts":{"trace":{"op":"app.start",\
      "data":{"app.vitals.start.cold.value":640.5,"app.vitals.start.value":640.5}}}}
      """
    #expect(
      values(try decode(envelope: envelope(("transaction", standalone)))) == ["app.vitals.start.cold.value [640.5] ms"])
  }

  @Test("a Sentry transaction keeps its valid values; negative, textual and computed ones are left out and counted")
  func hostile() throws {
    let decoded = try decode(
      envelope: envelope(
        transaction(
          #"""
          "a":{"value":-1},"b":{"value":"3"},"c":7,"d":{"value":1e300},"e":{"value":null},"sessions":{"value":1},\#
          "time.foreground":{"value":1,"unit":"second"},"launch.resume":{"value":5,"unit":"byte"},\#
          "frames_total":{"value":2},"frames_slow":{"value":9},"o\u0000k/..\u202e":{"value":4}
          """#)))
    #expect(
      values(decoded) == [
        "frames_slow \(Self.screen) +9.0", "frames_total \(Self.screen) +2.0", "o k/..___ \(Self.screen) [4.0] count",
        "transaction.duration \(Self.screen) [2250.0] ms",
      ])
    #expect(decoded.reports.first?.rejectedSamples == 5)
    #expect(decoded.rejection?.count == 3 && decoded.rejection?.message.contains("sessions is computed") == true)
    for text in ["{}", #"{"measurements":7,"contexts":[],"spans":{},"sdk":"x"}"#, #"{"measurements":{"a":{}}}"#] {
      #expect(values(try decode(envelope: envelope(("transaction", text)))) == [])
    }
  }

  @Test(
    "a Sentry transaction is recognised by its bytes, whatever the envelope's header, and no diagnostic changes its id")
  func retries() throws {
    func key(_ item: (type: String, payload: String), _ header: String = "{}", crash: Bool = false) throws -> String? {
      let items =
        crash ? envelope(item, ("event", #"{"level":"fatal"}"#), header: header) : envelope(item, header: header)
      return try decode(envelope: items).retryKey
    }
    let first = transaction(#""a":{"value":1}"#)
    let key1 = try key(first)
    #expect(try key1 != nil && key(first, #"{"sent_at":"2026-11-21T10:00:00Z"}"#) == key1)
    #expect(try key(transaction(#""a":{"value":2}"#)) != key1 && key(first, crash: true) == nil)
    #expect(try key(sessionItem("\"status\":\"ok\"")) == nil)
  }

  @Test("a Sentry session takes its device from a transaction in its envelope")
  func devices() throws {
    let decoded = try decode(envelope: envelope(sessionItem("\"sid\":\"\(sentrySID)\""), transaction("")))
    #expect(decoded.reports.count == 1 && decoded.reports[0].sessions.count == 1)
    #expect(decoded.reports[0].device.model == "iPhone15,2")
  }
}

@Suite("Sentry's metrics")
struct SentryMetricTests {
  private static let client = #"""
    "sentry.release":{"value":"com.example.shop@4.2.0+1234","type":"string"},\#
    "sentry.environment":{"value":"beta","type":"string"},"sentry.sdk.name":{"value":"sentry.cocoa","type":"string"},\#
    "device.model":{"value":"iPhone15,2","type":"string"},"os.name":{"value":"iOS","type":"string"},\#
    "os.version":{"value":"17.4.1","type":"string"},"user.id":{"value":"someone","type":"string"},\#
    "user.email":{"value":"anna@example.com","type":"string"}
    """#

  private func decoded(_ items: String...) throws -> Decoded {
    try decode(envelope: envelope(("trace_metric", #"{"items":[\#(items.joined(separator: ","))]}"#)))
  }

  private func metric(_ name: String, _ type: String, _ value: String, _ more: String = "") -> String {
    #"{"timestamp":1795251600.5,"trace_id":"x","name":"\#(name)","type":"\#(type)","value":\#(value)\#(more)}"#
  }

  @Test("Sentry's metrics become custom counters, gauges and distributions in Plumb's units, with the app's attributes")
  func own() throws {
    let found = try decoded(
      metric("checkout.failed", "counter", "2", #","attributes":{\#(Self.client)}"#),
      metric("queue", "gauge", "7", #","attributes":{"b":{"value":true},"a":{"value":"x"},\#(Self.client)}"#),
      metric("cache", "distribution", "1.5", #","unit":"mebibyte","attributes":{\#(Self.client)}"#))
    #expect(
      values(found) == ["cache [1572864.0] B", "checkout.failed +2.0", "queue [a=x, b=true] [7.0] count"])
    let report = try #require(found.reports.first)
    #expect(found.reports.count == 1 && report.environment == "beta" && report.bundleID == "com.example.shop")
    #expect(report.release == Release(version: "4.2.0", build: "1234") && report.device.model == "iPhone15,2")
    #expect(report.device.system.title == "iOS 17.4.1")
    #expect(!"\(found)".contains("anna") && !"\(found)".contains("someone"), "users are in no label")
  }

  @Test("Sentry's metrics with a catalogue name become that metric, with the catalogue's label")
  func catalogued() throws {
    let found = try decoded(
      metric("screen.load", "distribution", "1.5", #","unit":"second","attributes":{"screen":{"value":"Cart"}}"#),
      metric("memory.peak", "gauge", "100", #","unit":"megabyte","attributes":{"screen":{"value":"Cart"}}"#),
      metric("time.foreground", "counter", "60", #","unit":"second""#))
    #expect(
      values(found) == ["memory.peak [100000000.0] B", "screen.load [Cart] [1500.0] ms", "time.foreground +60.0"])
  }

  @Test("Sentry's metrics that cannot be read are left out one by one")
  func hostile() throws {
    let found = try decoded(
      "7", "{}", metric("a", "set", "1"), metric("b", "gauge", "\"1\""), metric("", "gauge", "1"),
      metric("c", "gauge", "-1"), metric("d", "counter", "1e300"), metric("screen.load", "counter", "1"),
      metric("e", "gauge", "1", #","attributes":[],"unit":"furlong""#))
    #expect(values(found) == ["e [1.0] count"])
    #expect(found.rejection?.count == 6 && found.reports[0].rejectedSamples == 2)
    #expect(try decode(envelope: envelope(("trace_metric", "{}"))).rejection?.count == 1)
  }

  @Test("Sentry's metrics beyond a request's limit are counted as left out")
  func many() throws {
    let items = (0..<41_000).map { metric("m\($0)", "gauge", "1") }
    let found = try decode(
      envelope: envelope(("trace_metric", #"{"items":[\#(items.joined(separator: ","))]}"#)))
    #expect(found.reports.flatMap(\.measurements).count == 40_000 && found.rejection?.count == 1000)
  }
}

@Suite("Items of a Sentry envelope that are not stored")
struct SentrySkippedItemTests {
  @Test("unstored items of a Sentry envelope are counted by type, unknown types together")
  func counted() throws {
    let items = [("replay_event", "{}"), ("log", "{}"), ("log", "{}"), ("made_up", "{}"), ("x\u{202e}", "{}")]
    var text = "{}\n"
    for (type, payload) in items { text += #"{"type":"\#(type)"}"# + "\n\(payload)\n" }
    let found = try decode(envelope: text)
    #expect(found.skipped.mapValues(\.count) == ["replay_event": 1, "log": 2, "unknown type": 2])
    #expect(found.skipped["unknown type"]?.message == "x\u{fffd}" && found.reports.isEmpty && found.rejection == nil)
  }

  @Test("unstored items of a Sentry envelope determine which rate limit applies to it")
  func categories() {
    func categories(_ types: String...) -> EnvelopeCategories {
      let text = "{}\n" + types.map { #"{"type":"\#($0)"}"# + "\n{}\n" }.joined()
      return Array(text.utf8).withUnsafeBytes { PayloadDecoder().envelopeLayout(of: $0).categories }
    }
    #expect(categories("session") == [.session] && categories("transaction", "session") == [.measurement, .session])
    #expect(categories("trace_metric") == [.measurement] && categories("log", "client_report") == [])
    #expect(categories("session", "event").contains(.error))
  }
}
