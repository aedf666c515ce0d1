import Testing

@testable import Core
@testable import Ingest

@Test(
  "a refusal has the key path and the problem",
  arguments: [
    (
      #"{"applicationLaunchMetrics": {"histogrammedResumeTime": {"histogramValue": {"0": {"bucketStart": "1 ms", "bucketEnd": "2 ms", "bucketCount": 1}, "3": {"bucketStart": "1 ms", "bucketEnd": "2 ms", "bucketCount": "4"}}}}}"#,
      DecodingFailure(
        .type, path: #"applicationLaunchMetrics.histogrammedResumeTime.histogramValue["3"].bucketCount"#,
        "expected an integer, found a string")
    ),
    (
      #"{"applicationLaunchMetrics": {"histogrammedResumeTime": {"histogramValue": {"0": {"bucketCount": 1}}}}}"#,
      DecodingFailure(
        .value, path: #"applicationLaunchMetrics.histogrammedResumeTime.histogramValue["0"].bucketStart"#, "is missing")
    ),
    (
      #"{"gpuMetrics": {"cumulativeGPUTime": [20]}}"#,
      DecodingFailure(
        .type, path: "gpuMetrics.cumulativeGPUTime", #"expected a string such as "20 ms", found an array"#)
    ),
    (#"{"gpuMetrics": 3}"#, DecodingFailure(.type, path: "gpuMetrics", "expected an object, found an integer")),
    (
      #"{"timeStampBegin": "yesterday", "gpuMetrics": {}}"#,
      DecodingFailure(
        .value, path: "timeStampBegin", #"expected a time such as "2026-11-19 00:00:00", found "yesterday""#)
    ),
    (
      #"{"sessions": [{"id": "a", "status": "ok"}, {"id": "b", "status": "fine"}]}"#,
      DecodingFailure(
        .value, path: "sessions[1].status",
        #"expected ok, exited, errored, unhandled, abnormal or crashed, found "fine""#)
    ),
    (#"{"sessions": [{"id": "a"}]}"#, DecodingFailure(.value, path: "sessions[0].status", "is missing")),
    (
      #"{"measurements": [{"metric": "screen.load", "value": "420"}]}"#,
      DecodingFailure(.type, path: "measurements[0].value", "expected a number, found a string")
    ),
    (
      #"{"measurements": [{"metric": "screen.load", "value": 420, "unit": "MB"}]}"#,
      DecodingFailure(
        .value, path: "measurements[0].unit", "screen.load is stored in ms; this unit cannot be converted")
    ),
    (
      #"{"measurements": [{"metric": "a<b", "value": 420}]}"#,
      DecodingFailure(
        .value, path: "measurements[0].metric",
        #"expected a name of 1 to 120 characters (A-Z a-z 0-9 . _ - / : or space) that is not "." or "..", "#
          + #"found "a<b""#)
    ),
    (
      #"{"measurements": [{"metric": "..", "value": 420}]}"#,
      DecodingFailure(
        .value, path: "measurements[0].metric",
        #"expected a name of 1 to 120 characters (A-Z a-z 0-9 . _ - / : or space) that is not "." or "..", found "..""#)
    ),
    (
      #"{"measurements": [{"metric": "sessions.crash_free", "value": 1}]}"#,
      DecodingFailure(
        .value, path: "measurements[0].metric", "sessions.crash_free is computed by the server and cannot be sent")
    ),
    (
      #"{"counters": [{"metric": "screen.load", "value": 1}]}"#,
      DecodingFailure(
        .value, path: "counters[0].metric",
        #"screen.load is a distribution; send it in "measurements" or "histograms""#)
    ),
    (
      #"{"histograms": [{"metric": "a", "bounds": [1, 2], "counts": [1, 2]}]}"#,
      DecodingFailure(.value, path: "histograms[0].counts", "expected 3 counts, one more than bounds")
    ),
    (
      #"{"histograms": [{"metric": "a", "bounds": [1, 1], "counts": [1, 2, 3]}]}"#,
      DecodingFailure(.value, path: "histograms[0].bounds[1]", "bounds must be ascending and at least 0")
    ),
    (
      #"{"counters": [{"metric": "a", "value": 1, "at": "noon"}]}"#,
      DecodingFailure(
        .value, path: "counters[0].at", #"expected a time such as "2026-11-20T10:00:00Z", found "noon""#)
    ),
    (
      #"{"app": {"version": 4}, "sessions": []}"#,
      DecodingFailure(.type, path: "app.version", "expected a string, found an integer")
    ),
    ("17", DecodingFailure(.type, "expected an object or an array of objects, found an integer")),
    ("", DecodingFailure(.empty, "the document is empty or has only white space")),
    ("[]", DecodingFailure(.empty, "the array has no documents")),
    ("{}", DecodingFailure(.empty, "the document has no members")),
    (#"{"app": {}, "#, DecodingFailure(.syntax, "not JSON at byte 12: the document ends too early")),
    (
      #"{"hello": 1, "you": 2}"#,
      DecodingFailure(
        .unsupported,
        #"expected MetricKit's, Apple's .ips or native JSON, found an object with the keys "hello", "you""#)
    ),
  ])
func refusals(text: String, expected: DecodingFailure) {
  #expect(failure(text) == expected)
}

@Test(
  "recognised but unsupported kinds of documents are named",
  arguments: [
    (#"{"resourceMetrics": []}"#, "OTLP"), (#"{"resourceLogs": []}"#, "OTLP"),
    (#"{"resourceSpans": []}"#, "OTLP"),
  ])
func unsupportedKinds(text: String, name: String) {
  #expect(failure(text)?.reason == .unsupported)
  #expect(failure(text)?.detail.contains(name) == true)
}

@Test("arrays, lines and concatenated documents are all read")
func severalDocuments() throws {
  let one = #"{"app": {"version": "1"}, "sessions": []}"#
  for text in ["[\(one), \(one)]", "\(one)\n\(one)\n", "\(one)\(one)", "\(one)\r\n\r\n\(one)", "[\(one)]\n\(one)"] {
    #expect(try decode(text).count == 2, "\(text)")
  }
  #expect(
    try decode("\(completePayload)\n\(one)\n\(sparsePayload)").map(\.source) == [.metricKit, .native, .metricKit])
}

@Test("one invalid document refuses the whole body, with its index")
func allOrNothing() {
  let good = #"{"app": {"version": "1"}}"#
  let bad = #"{"sessions": [{"id": 5, "status": "ok"}]}"#
  let expected = DecodingFailure(.type, path: "[1].sessions[0].id", "expected a string, found an integer")
  #expect(failure("[\(good), \(bad)]") == expected)
  #expect(failure("\(good)\n\(bad)\n\(good)") == expected)
  #expect(failure("\(good) x") == DecodingFailure(.syntax, path: "[1]", "not JSON at byte 26: expected a value"))
}

@Test(
  "documents in clients' envelopes are read",
  arguments: [
    #"{"payloads": DOC}"#, #"{"platform": "ios", "version": "1.0", "payloads": [DOC, DOC]}"#,
    #"{"kind": "metric", "payload": DOC}"#, #"{"payloads": [{"kind": "metric", "raw": {"payload": TEXT}}]}"#,
    #"{"app": {"version": "1"}, "payload": DOC}"#,
  ])
func envelopes(envelope: String) throws {
  let document = #"{"gpuMetrics": {"cumulativeGPUTime": "20 sec"}, "timeStampBegin": "2026-11-18 00:00:00"}"#
  let quoted = "\"" + document.replacing("\"", with: "\\\"") + "\""
  let text = envelope.replacing("DOC", with: document).replacing("TEXT", with: quoted)
  let reports = try decode(text)
  #expect(!reports.isEmpty && reports.allSatisfy { $0.values("gpu.time") == [.counter(20)] })
}

@Test("a failure inside an envelope's string gives both paths")
func envelopePaths() {
  let text = #"{"payloads": [{"raw": {"payload": "{\"gpuMetrics\": 3}"}}]}"#
  #expect(failure(text)?.path == "payloads[0].raw.payload.gpuMetrics")
}

@Test("envelopes with endless nesting are refused")
func endlessEnvelopes() {
  let text = String(repeating: #"{"payload":"#, count: 1000) + "1" + String(repeating: "}", count: 1000)
  #expect(failure(text) != nil)
}
