import Ingest

extension HostileBody {
  static let native: [HostileBody] = [
    HostileBody("native: sessions, each by a user of 8 MB") {
      #"{"app":{},"installation":"\#(repeated("u", 8 << 20))","sessions":[\#(list(20_000) { _ in #"{"status":"ok"}"# })]}"#
    },
    HostileBody("native: crashes of sessions that were named, and of others") {
      let sessions = list(10_000) { #"{"id":"s\#($0)","status":"ok"}"# }
      return #"{"sessions":[\#(sessions)],"crashes":[\#(list(2_000) { #"{"session":"c\#($0)"}"# })]}"#
    },
    HostileBody("native: as many sessions as fit", isRead: false) {
      let session = #"{"status":"ok"}"#
      return #"{"app":{},"sessions":[\#(list(filling(session)) { _ in session })]}"#
    },
    HostileBody("native: 300,000 sessions and 450,000 crashes", isRead: false) {
      let sessions = list(300_000) { #"{"id":"\#($0)","status":"ok"}"# }
      return #"{"sessions":[\#(sessions)],"crashes":[\#(list(450_000) { _ in #"{"session":"x"}"# })]}"#
    },
    HostileBody("native: crashes of fifty frames") {
      let frames = list(50) { #"{"function":"f\#($0)","binary":"b\#($0)"}"# }
      return #"{"app":{},"crashes":[\#(list(2_000) { _ in #"{"frames":[\#(frames)]}"# })]}"#
    },
    HostileBody("native: threads without frames") {
      #"{"app":{},"crashes":[{"threads":[\#(list(100_000) { _ in "{}" })]}]}"#
    },
    HostileBody("native: measurements of a metric each") {
      #"{"measurements":[\#(list(40_000) { #"{"metric":"m\#($0)","value":1}"# })]}"#
    },
    HostileBody("native: histograms of many buckets") {
      let bounds = list(19_999) { "\($0 + 1)" }
      let counts = list(20_000) { _ in "1" }
      return
        #"{"histograms":[\#(list(25) { #"{"metric":"m\#($0)","bounds":[\#(bounds)],"counts":[\#(counts)]}"# })]}"#
    },
    HostileBody("native: a document each for ten thousand releases") {
      var text = ""
      for number in 0..<10_000 {
        text += #"{"app":{"version":"\#(number)"},"measurements":[{"metric":"m","value":1}]}"# + "\n"
      }
      return text
    },
    HostileBody("native: an array of as many numbers as fit", isRead: false) {
      #"{"app":{},"x":[\#(list(filling("0")) { _ in "0" })]}"#
    },
    HostileBody("native: an array of as many numbers as are read") {
      #"{"app":{},"x":[\#(list(1_090_000) { _ in "0" })]}"#
    },
    HostileBody("native: texts of escapes") {
      let crash = #"{"x":"\#(repeated(#"\u0001"#, 200_000))"}"#
      return #"{"app":{},"crashes":[\#(list(filling(crash)) { _ in crash })]}"#
    },
    HostileBody("envelope: apps that are no objects", isRead: false) {
      "{" + list(545_000) { _ in #""app":1"# } + #","data":[1]}"#
    },
    HostileBody("envelope: members that hold nothing", isRead: false) {
      "{" + list(545_000) { _ in #""data":"""# } + "}"
    },
  ]

  static let metricKit: [HostileBody] = [
    HostileBody("MetricKit: a histogram of many buckets", isRead: true) {
      let buckets = list(135_000) { #""\#($0)":{"bucketStart":\#(135_000 - $0),"bucketEnd":900000,"bucketCount":1}"# }
      return
        #"{"timeStampBegin":1795000000,"applicationLaunchMetrics":{"histogrammedTimeToFirstDrawKey":{"histogramValue":{\#(buckets)}}}}"#
    },
    HostileBody("MetricKit: measurements in nobody's style") {
      let text = repeated("١,١٢ ", 13)
      let member = #""cumulativeCPUTime":"\#(text)""#
      return #"{"timeStampBegin":1795000000,"cpuMetrics":{\#(list(filling(member)) { _ in member })}}"#
    },
    HostileBody("MetricKit: as many counters as are kept") {
      #"{"timeStampBegin":1795000000,"cpuMetrics":{\#(list(150_000) { _ in #""cumulativeCPUTime":"1 sec""# })}}"#
    },
    HostileBody("MetricKit: payloads of nothing") {
      repeated(#"{"timeStampBegin":1795000000}"# + "\n", 10_000)
    },
    HostileBody("MetricKit: diagnostics whose codes are no numbers") {
      let element = #"{"diagnosticMetaData":{"exceptionType":1.5,"signal":-1e300,"exceptionCode":-1.5}}"#
      return #"{"timeStampBegin":1795000000,"crashDiagnostics":[\#(list(2_000) { _ in element })]}"#
    },
    HostileBody("MetricKit: diagnostics in a window of 8 MB") {
      let end = repeated("x", 8 << 20)
      return
        #"{"timeStampBegin":"2026-11-19 00:00:00","timeStampEnd":"\#(end)","crashDiagnostics":[\#(list(2_000) { _ in "{}" })]}"#
    },
    HostileBody("MetricKit: a report that names its diagnostic over and over") {
      #"{"timeRange":{"begin":1795000000},\#(list(200_000) { _ in #""crashDiagnostic":{}"# })}"#
    },
    HostileBody("MetricKit: frames in a row, none with a number for an address") {
      let frame = #"{"address":-1,"symbolInfo":{"symbol":1,"line":"x"}}"#
      return #"{"callStacks":[{"callStackFrames":[\#(list(100_000) { _ in frame })]}]}"#
    },
    HostileBody("MetricKit: a tree whose stacks come in 30,000 lists") {
      let stacks = #""callStacks":[{"callStackRootFrames":[{"binaryName":"a","address":1}]}]"#
      return #"{\#(list(30_000) { _ in stacks })}"#
    },
    HostileBody("MetricKit: a report of unknown metrics in states") {
      let value = #"{"aMetric":{"value":1}}"#
      let entry =
        #"{"state":{"label":"l","domain":"\#(repeated("d", 400))"},"values":[\#(list(1_000) { _ in value })]}"#
      return #"{"timeRange":{"begin":1795000000},"stateEntries":[\#(list(40) { _ in entry })]}"#
    },
    HostileBody("MetricKit: a report of metrics without a shape") {
      let value = #"{"signpostIntervalMetric":1,"hangTimeMetric":1,"metalFrameRateMetric":1,"x":1}"#
      return
        #"{"timeRange":{"begin":1795000000},"intervalEntries":[{"values":[\#(list(118_000) { _ in value })]}]}"#
    },
  ]

  static let sentry: [HostileBody] = [
    HostileBody("Sentry: aggregates of one user of 8 MB", .sentryEnvelope) {
      let item =
        #"{"aggregates":[{"started":"2026-11-20T10:00:00Z","did":"\#(repeated("u", 4 << 20))","exited":10000}]}"#
      return "{}\n" + repeated(#"{"type":"sessions"}"# + "\n" + item + "\n", 2)
    },
    HostileBody("Sentry: aggregates of nothing", .sentryEnvelope) {
      let bucket = #"{"started":"2026-11-20T10:00:00Z"}"#
      let item = #"{"type":"sessions"}"# + "\n" + #"{"aggregates":[\#(list(10_000) { _ in bucket })]}"# + "\n"
      return "{}\n" + repeated(item, filling(item))
    },
    HostileBody("Sentry: session items", .sentryEnvelope) {
      "{}\n" + repeated(#"{"type":"session"}"# + "\n" + #"{"started":"2026-11-20T10:00:00Z"}"# + "\n", 10_000)
    },
    HostileBody("Sentry: session items that are none", .sentryEnvelope) {
      "{}\n" + repeated(#"{"type":"session"}"# + "\n" + #"{"started":[]}"# + "\n", 10_000)
    },
    HostileBody("Sentry: events of nothing", .sentryEnvelope) {
      "{}\n" + repeated(#"{"type":"event"}"# + "\n" + #"{"level":"fatal"}"# + "\n", 10_000)
    },
    HostileBody("Sentry: an event of frames that name their callers", .sentryStore) {
      let package = #"/private/var/\#(repeated(".ap", 150))"#
      let frames = list(20_000) { #"{"function":"f","package":"\#(package)","parent_index":\#(max(0, $0 - 1))}"# }
      return #"{"exception":{"values":[{"type":"T","stacktrace":{"frames":[\#(frames)]}}]}}"#
    },
    HostileBody("Sentry: an event of numbers", .sentryStore) {
      #"{"level":"fatal","threads":[\#(list(1_090_000) { _ in "0" })]}"#
    },
    HostileBody("Sentry: an event of escapes", .sentryStore) {
      #"{"level":"fatal","threads":["\#(repeated(#"\u0001"#, filling(#"\u0001"#)))"]}"#
    },
    HostileBody("Sentry: metrics of a name and a release each", .sentryEnvelope) {
      let items = list(30_000) {
        #"{"name":"m\#($0)","type":"gauge","value":1,"attributes":{"sentry.release":{"value":"\#($0)"}}}"#
      }
      return "{}\n" + #"{"type":"trace_metric"}"# + "\n" + #"{"items":[\#(items)]}"# + "\n"
    },
    HostileBody("Sentry: metrics of nothing", .sentryEnvelope) {
      "{}\n" + #"{"type":"trace_metric"}"# + "\n" + #"{"items":[\#(list(350_000) { _ in "{}" })]}"# + "\n"
    },
    HostileBody("Sentry: a transaction of measurements that are refused", .sentryEnvelope) {
      let items = list(250_000) { _ in #""sessions":{"value":1}"# }
      return "{}\n" + #"{"type":"transaction"}"# + "\n" + #"{"measurements":{\#(items)}}"# + "\n"
    },
    HostileBody("Sentry: items of made-up types", .sentryEnvelope) {
      "{}\n" + (0..<10_000).map { #"{"type":"t\#($0)\#(repeated("x", 300))"}"# + "\n{}\n" }.joined()
    },
    HostileBody("Sentry: client reports", .sentryEnvelope) {
      let item = #"{"discarded_events":[\#(list(1_000) { #"{"reason":"r\#($0)","quantity":1000000000000}"# })]}"#
      return "{}\n" + repeated(#"{"type":"client_report"}"# + "\n" + item + "\n", 300)
    },
  ]

  static let appleReports: [HostileBody] = [
    HostileBody(".crash: frames") {
      "Process: Shop [1]\nVersion: 1\n\nThread 0 Crashed:\n"
        + repeated("0 S 0x1 a + 1 (a.swift:1)\n", 90_000)
    },
    HostileBody(".crash: frames without an address", isRead: false) {
      "Process: Shop [1]\n\nThread 0 Crashed:\n" + repeated("0 " + repeated("a ", 60) + "\n", 90_000)
    },
    HostileBody(".crash: one line of words", isRead: false) {
      "Process: Shop [1]\n\nThread 0 Crashed:\n0 " + repeated("a ", 8_000_000)
    },
    HostileBody(".crash: headers", isRead: false) {
      "Process: Shop [1]\n" + repeated("Termination: \(repeated("x", 140))\n", 99_000)
    },
    HostileBody(".crash: reports of one frame") {
      repeated("Process: S [1]\nThread 0:\n0 S 0x1\n", 2_000)
    },
    HostileBody(".ips: frames and images") {
      let images = list(20_000) { #"{"name":"n\#($0)","base":\#($0)}"# }
      let frames = list(100_000) { #"{"imageIndex":\#($0 % 20_000),"imageOffset":1}"# }
      return #"{"bug_type":"309","usedImages":[\#(images)],"threads":[{"frames":[\#(frames)]}]}"#
    },
  ]
}
