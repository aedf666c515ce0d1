import Testing

@testable import Core
@testable import Ingest

/// Where the value of the app's attribute comes from, in each format.
struct AttributeDecodingTests {
  private static func decode(
    _ body: String, as format: PayloadFormat = .sniffed, attribute: String? = "experiment"
  ) throws -> [Report] {
    try Array(body.utf8).withUnsafeBytes { bytes in
      try PayloadDecoder().decode(
        bytes, as: format, DecodingContext(received: receiptTime, attributes: [attribute].compactMap { $0 })
      )
      .reports
    }
  }

  private static func values(
    _ body: String, as format: PayloadFormat = .sniffed, attribute: String? = "experiment"
  ) throws -> [String?] {
    try decode(body, as: format, attribute: attribute).map(\.attributes.first?.value)
  }

  private static func native(_ attributes: String) -> String {
    #"{"app": {"version": "4.2.0"}, "attributes": \#(attributes), "sessions": [{"id": "a", "status": "ok"}]}"#
  }

  @Test("native JSON has the attribute in a member of `attributes`, as text")
  func native() throws {
    for (attributes, value) in [
      (#"{"experiment": "new-cart", "other": "x"}"#, "new-cart"), (#"{"experiment": true}"#, "true"),
      (#"{"experiment": 3}"#, "3"), (#"{"experiment": 0.5}"#, "0.5"), (#"{"experiment": "a\u202eb"}"#, "a\u{FFFD}b"),
    ] {
      #expect(try Self.values(Self.native(attributes)) == [value], "\(attributes)")
    }
    for attributes in [#"{}"#, #"{"experiment": ""}"#, #"{"experiment": null}"#, #"{"experiment": [1]}"#, "null"] {
      #expect(try Self.values(Self.native(attributes)) == [nil], "\(attributes)")
    }
    #expect(throws: DecodingFailure.self) { try Self.values(Self.native("[]")) }
    #expect(try Self.values(Self.native(#"{"experiment": "x"}"#), attribute: nil) == [nil])
  }

  private static func payload(_ rest: String = "") -> String {
    """
    {"appVersion": "4.2.0", "timeStampBegin": "2026-11-19 00:00:00", "timeStampEnd": "2026-11-19 23:59:00",
     "metaData": {"appBuildVersion": "1", "deviceType": "iPhone15,2", "osVersion": "iPhone OS 17.4.1", "regionFormat": "DE"},
     "applicationTimeMetrics": {"cumulativeForegroundTime": "3000 sec"}\(rest)}
    """
  }

  @Test(
    "MetricKit has the attribute in the region, or in `attributes` of a wrapper or of the document, which come first")
  func metricKit() throws {
    #expect(try Self.values(Self.payload(), attribute: "region") == ["DE"])
    #expect(try Self.values(Self.payload()) == [nil])
    #expect(try Self.values(Self.payload(#", "attributes": {"region": "AT"}"#), attribute: "region") == ["AT"])
    let wrapper = #"{"attributes": {"experiment": "b", "region": "CH"}, "payloads": [\#(Self.payload())]}"#
    #expect(try Self.values(wrapper) == ["b"])
    #expect(try Self.values(wrapper, attribute: "region") == ["CH"])
    let diagnostic = """
      {"timeStampBegin": "2026-11-19 00:00:00", "timeStampEnd": "2026-11-19 23:59:00", "crashDiagnostics": [
        {"callStackTree": {"callStacks": []}, "diagnosticMetaData": {"appVersion": "4.2.0", "regionFormat": "FR",
          "exceptionType": 1}}]}
      """
    #expect(try Self.values(diagnostic, attribute: "region") == ["FR"])
    let identities = try [nil, "region"].map { try Self.decode(diagnostic, attribute: $0)[0].diagnostics[0].identity }
    #expect(identities[0] == identities[1], "a setting does not make a diagnostic another one")
  }

  private static func metricReport(_ states: [(domain: String, label: String)]) -> String {
    let entries = states.map {
      """
      {"state": {"domain": "\($0.domain)", "label": "\($0.label)"},
       "values": [{"cpuTimeMetric": {"value": {"value": 4, "unit": "s"}}}]}
      """
    }
    return """
      {"version": "2.0.0", "timeRange": {"begin": "2026-11-19T00:00:00Z", "end": "2026-11-20T00:00:00Z"},
       "environment": {"regionFormat": "US", "deviceType": "iPhone15,2"},
       "intervalEntries": [{"duration": {"value": 86400, "unit": "s"},
         "values": [{"cpuTimeMetric": {"value": {"value": 42, "unit": "s"}}}]}],
       "stateEntries": [\(entries.joined(separator: ","))]}
      """
  }

  @Test("in iOS 27 a day in one state has that attribute, and a day in several states has none")
  func states() throws {
    let domain = "com.example.cart"
    let one = Self.metricReport([(domain, "treatment"), ("com.example.other", "x"), (domain, "treatment")])
    #expect(try Self.values(one, attribute: domain) == ["treatment"])
    #expect(try Self.values(one, attribute: "region") == ["US"])
    #expect(try Self.values(one) == [nil])
    let several = Self.metricReport([(domain, "treatment"), (domain, "control"), (domain, "third")])
    #expect(try Self.values(several, attribute: domain) == [nil])
    // The whole day counts once, whatever the setting.
    let cpu = try Self.decode(one, attribute: domain)[0].measurements.filter { $0.metric.name == "cpu.time" }
    #expect(cpu.map(\.value) == [.counter(42)])
  }

  @Test("every format reads all attributes of the app, each from the first place that has it")
  func several() throws {
    func all(_ body: String, as format: PayloadFormat = .sniffed, _ names: [String]) throws -> [[String]] {
      try Array(body.utf8).withUnsafeBytes { bytes in
        try PayloadDecoder().decode(bytes, as: format, DecodingContext(received: receiptTime, attributes: names))
          .reports.map { $0.attributes.map { "\($0.name)=\($0.value)" } }
      }
    }
    let names = ["region", "experiment", "flavour"]
    let native = Self.native(#"{"region": "DE", "flavour": true, "other": 1, "experiment": "b"}"#)
    #expect(try all(native, names) == [["experiment=b", "flavour=true", "region=DE"]])
    let wrapper = #"{"attributes": {"experiment": "b", "flavour": "x"}, "payloads": [\#(Self.payload())]}"#
    #expect(try all(wrapper, names) == [["experiment=b", "flavour=x", "region=DE"]])
    let domain = "com.example.cart"
    let states = Self.metricReport([(domain, "treatment"), ("com.example.a", "x"), ("com.example.a", "y")])
    #expect(try all(states, [domain, "com.example.a", "region"]) == [["com.example.cart=treatment", "region=US"]])
    let event = Self.event(
      #""tags":{"experiment":"b"},"contexts":{"flags":{"values":[{"flag":"flavour","result":true}]},"trace":{"data":{"region":"AT","experiment":"z"}}}"#
    )
    #expect(
      try all(Self.envelope(("event", event)), as: .sentryEnvelope, names)
        == [["experiment=b", "flavour=true", "region=AT"]])
    let points = Self.metrics(
      resource: "," + Self.attribute("experiment", "a") + "," + Self.attribute("region", "DE"),
      points: [Self.point(Self.attribute("experiment", "b") + "," + Self.attribute("color", "red"))])
    #expect(try all(points, as: .otlpMetrics(.json), names) == [["experiment=b", "region=DE"]])
  }

  private static func envelope(_ items: (type: String, body: String)...) -> String {
    "{}\n" + items.map { "{\"type\":\"\($0.type)\"}\n\($0.body)\n" }.joined()
  }

  private static func event(_ rest: String) -> String {
    #"{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","level":"error","release":"a@1.0","exception":{"values":[{"type":"E"}]},\#(rest)}"#
  }

  @Test("Sentry has the attribute in tags of both forms, feature flags, or the trace's attributes")
  func sentryEvents() throws {
    for (rest, value) in [
      (#""tags":{"experiment":"b"}"#, "b"), (#""tags":[["x","y"],["experiment","b"]]"#, "b"),
      (
        #""contexts":{"flags":{"values":[{"flag":"experiment","result":false},{"flag":"experiment","result":true}]}}"#,
        "true"
      ),
      (#""contexts":{"trace":{"data":{"experiment":"b"}}}"#, "b"),
      (#""contexts":{"trace":{"data":{"flag.evaluation.experiment":true}}}"#, "true"),
    ] {
      #expect(try Self.values(Self.envelope(("event", Self.event(rest))), as: .sentryEnvelope) == [value], "\(rest)")
    }
    for rest in [#""tags":{"other":"b"}"#, #""tags":[["experiment"],["experiment",["b"]],"experiment"]"#, #""tags":7"#]
    {
      #expect(try Self.values(Self.envelope(("event", Self.event(rest))), as: .sentryEnvelope) == [nil], "\(rest)")
    }
  }

  @Test("a Sentry session has its own attribute, and none from an event next to it")
  func sentrySessions() throws {
    func session(_ attrs: String) -> String {
      #"{"sid":"a","started":"2026-11-20T09:00:00Z","status":"crashed","attrs":{"release":"a@1.0"\#(attrs)}}"#
    }
    let event = Self.event(#""tags":{"experiment":"b"}"#)
    let both = try Self.decode(Self.envelope(("event", event), ("session", session(""))), as: .sentryEnvelope)
    #expect(both.first { !$0.sessions.isEmpty }?.attributes == [])
    #expect(both.first { !$0.diagnostics.isEmpty }?.attributes.first?.value == "b")
    let own = try Self.decode(Self.envelope(("session", session(#","experiment":"c""#))), as: .sentryEnvelope)
    #expect(own.map(\.attributes.first?.value) == ["c"])
  }

  @Test("a Sentry metric's own attribute distinguishes it and is not part of its label")
  func sentryMetrics() throws {
    let items = ["a", "b"].map {
      """
      {"timestamp":1795168800,"name":"cart.items","type":"counter","value":2,"attributes":{
        "experiment":{"type":"string","value":"\($0)"},"color":{"type":"string","value":"red"}}}
      """.replacing("\n", with: "")
    }
    let envelope = Self.envelope(("trace_metric", "{\"items\":[\(items.joined(separator: ","))]}"))
    let reports = try Self.decode(envelope, as: .sentryEnvelope)
    #expect(reports.map(\.attributes.first?.value) == ["a", "b"])
    #expect(reports.flatMap(\.measurements).map(\.label) == ["color=red", "color=red"])
    let plain = try Self.decode(envelope, as: .sentryEnvelope, attribute: nil)
    #expect(plain.count == 1 && plain[0].measurements[1].label == "color=red, experiment=b")
  }

  private static func metrics(resource: String, points: [String]) -> String {
    """
    {"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}\(resource)]},
     "scopeMetrics":[{"metrics":[{"name":"cart.time","unit":"ms","gauge":{"dataPoints":[\(points.joined(separator: ","))]}}]}]}]}
    """
  }

  private static func point(_ attributes: String) -> String {
    #"{"timeUnixNano":"1795168800000000000","asDouble":5,"attributes":[\#(attributes)]}"#
  }

  private static func attribute(_ key: String, _ value: String) -> String {
    #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
  }

  @Test("OTLP has the attribute in the point or else in its resource, and points that differ become separate reports")
  func otlp() throws {
    let body = Self.metrics(
      resource: "," + Self.attribute("experiment", "a"),
      points: [
        Self.point(""), Self.point(Self.attribute("experiment", "b") + "," + Self.attribute("color", "red")),
        Self.point(Self.attribute("color", "blue")),
      ])
    let reports = try Self.decode(body, as: .otlpMetrics(.json))
    #expect(reports.map(\.attributes.first?.value) == ["a", "b"])
    #expect(reports[0].measurements.map(\.label) == ["", "color=blue"])
    #expect(reports[1].measurements.map(\.label) == ["color=red"])
    let plain = try Self.decode(body, as: .otlpMetrics(.json), attribute: nil)
    #expect(plain.map(\.attributes) == [[]] && plain[0].measurements.count == 3)
    let span = """
      {"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"name":"MXMetricPayload","startTimeUnixNano":"1795046400000000000",
       "attributes":[{"key":"metrickit.metadata.region_format","value":{"stringValue":"DE"}},
        {"key":"metrickit.cpu.cpu_time","value":{"doubleValue":3}}]}]}]}]}
      """
    #expect(try Self.values(span, as: .otlpTraces(.json), attribute: "region") == ["DE"])
  }

  @Test("OTLP sessions and exceptions have the attribute of their record or else of their resource")
  func logs() throws {
    let records = ["", "," + Self.attribute("experiment", "b")].map {
      """
      {"timeUnixNano":"1795168800000000000","eventName":"session.start","attributes":[\(Self.attribute("session.id", "s"))\($0)]}
      """
    }
    let body = """
      {"resourceLogs":[{"resource":{"attributes":[\(Self.attribute("experiment", "a"))]},
       "scopeLogs":[{"logRecords":[\(records.joined(separator: ","))]}]}]}
      """
    #expect(try Self.values(body, as: .otlpLogs(.json)) == ["a", "b"])
  }
}
