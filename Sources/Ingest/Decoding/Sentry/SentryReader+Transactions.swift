internal import Core

/// Every measurement of a transaction is stored under Sentry's name for it. If it means exactly the same as a catalogue
/// metric, it is also stored as that metric.
///
/// Source: docs.sentry.io/platforms/apple/tracing/instrumentation/automatic-instrumentation;
/// docs.sentry.io/concepts/search/searchable-properties/events (measurements); sentry-cocoa, SentryTracer.m
extension SentryReader {
  /// Reads a `transaction` item: app starts, frames, times to display and custom measurements. Their label is the
  /// transaction's name, such as that of a screen.
  mutating func readTransaction(_ item: JSONObject) {
    eventID = eventID ?? item.text("event_id").flatMap { SentryEventID($0) }
    let transaction = SentryTransaction(item)
    let time = item["timestamp"].flatMap { clock.instant($0) }
    if time == nil { assumedTimes += 1 }
    let place = SentryPlace(origin: origin(of: item), time: time ?? context.received, label: transaction.name)
    if let duration = transaction.duration { keep("transaction.duration", duration, "millisecond", place) }
    if let measurements = transaction.measurements {
      for (key, value) in measurements { read(key, value, of: transaction, place) }
    }
    for (name, share) in transaction.frameShares { keep(name, share, "ratio", place) }
    // An app start in its own transaction ends before the first frame, or where the app decides.
    for key in SentryTransaction.standaloneStarts {
      guard let value = transaction.data?.number(key) else { continue }
      keep("\(key)", value, "millisecond", place.unlabelled)
    }
  }

  private mutating func read(
    _ key: BorrowedJSONString, _ value: JSONValue, of transaction: SentryTransaction, _ place: SentryPlace
  ) {
    guard let measurement = value.objectOrNil, let number = measurement["value"]?.numberOrNil else {
      rejectedSamples += 1
      return
    }
    let stated = measurement.text("unit")?.kept ?? ""
    let unit = stated.isEmpty || stated == "none" ? SentryTransaction.usualUnit(of: key) : stated
    switch key {
    case "frames_total", "frames_slow", "frames_frozen":
      keep(key.kept, number, unit, place, .counter)
    case "app_start_cold", "app_start_warm":
      keep(key.kept, number, unit, place.unlabelled)
      if let name = transaction.launchMetric { keep(name, number, unit, place.unlabelled) }
    case "time_to_full_display":
      // The client gave up waiting and writes the time to initial display.
      if transaction.missedFullDisplay { return }
      keep(key.kept, number, unit, place)
      if transaction.isScreen, !transaction.hasAppStart { keep("screen.load", number, unit, place) }
    default: keep(key.kept, number, unit, place)
    }
  }
}

/// The members of a transaction that determine the meaning of its measurements.
struct SentryTransaction {
  /// The name; empty for the path of a URL, because there may be any number of them.
  let name: String
  /// The time from start to end, in milliseconds.
  let duration: Double?
  let measurements: JSONObject?
  /// The attributes of the transaction's span.
  let data: JSONObject?
  /// Whether the transaction loads a screen.
  let isScreen: Bool
  let hasAppStart: Bool
  /// The catalogue metric of the app start; nil if the client measures launches differently.
  let launchMetric: String?
  /// Whether the app never reported the screen as complete.
  let missedFullDisplay: Bool

  static let standaloneStarts: [StaticString] = ["app.vitals.start.cold.value", "app.vitals.start.warm.value"]

  init(_ item: JSONObject) {
    let trace = item.object("contexts")?.object("trace")
    let isURL = item.object("transaction_info")?.text("source").map { $0 == "url" } ?? false
    name = isURL ? "" : item.text("transaction")?.kept ?? ""
    duration = Self.milliseconds(from: item["start_timestamp"], to: item["timestamp"])
    measurements = item.object("measurements")
    data = trace?.object("data")
    isScreen = trace?.text("op").map { $0 == "ui.load" } ?? false
    hasAppStart = measurements?["app_start_cold"] != nil || measurements?["app_start_warm"] != nil
    let startType = item.object("contexts")?.object("app")?.text("start_type")?.kept ?? ""
    let isPrewarmed = startType.utf8.suffix(10).elementsEqual(".prewarmed".utf8)
    launchMetric =
      Self.endsStartAtFirstFrame(item.object("sdk"))
      ? (isPrewarmed ? "launch.first_draw_prewarmed" : "launch.first_draw") : nil
    missedFullDisplay = Self.missesFullDisplay(item.array("spans"))
  }

  /// Whether the client is Sentry's for Apple, version 9 or later. An app start then lasts from the start of the
  /// process to the first frame. Older versions and other languages end it elsewhere.
  private static func endsStartAtFirstFrame(_ sdk: JSONObject?) -> Bool {
    guard let sdk, sdk.text("name").map({ $0 == "sentry.cocoa" }) == true,
      let version = sdk.text("version")?.kept.utf8.prefix(while: { $0 != UInt8(ascii: ".") }),
      let major = Int(String(Substring(version)))
    else { return false }
    return major >= 9
  }

  private static func missesFullDisplay(_ spans: JSONArray?) -> Bool {
    guard let spans else { return false }
    for element in spans {
      guard let span = element.objectOrNil, span.text("op").map({ $0 == "ui.load.full_display" }) == true else {
        continue
      }
      if span.text("status").map({ $0 == "deadline_exceeded" }) == true { return true }
    }
    return false
  }

  private static func milliseconds(from start: JSONValue?, to end: JSONValue?) -> Double? {
    // Seconds with fractions. A `Timestamp` would round their difference.
    if let from = start?.numberOrNil, let to = end?.numberOrNil { return to >= from ? (to - from) * 1000 : nil }
    guard let from = start.flatMap(SentryClock.parse), let to = end.flatMap(SentryClock.parse) else { return nil }
    return to >= from ? Double(to.milliseconds) - Double(from.milliseconds) : nil
  }

  /// The shares of slow and of frozen frames, as Sentry computes them on receipt.
  var frameShares: [(String, Double)] {
    func count(_ key: StaticString) -> Double? { measurements?.object(key)?.number("value") }
    guard let total = count("frames_total"), total > 0 else { return [] }
    let counts: [(String, Double?)] = [
      ("frames_slow_rate", count("frames_slow")), ("frames_frozen_rate", count("frames_frozen")),
    ]
    return counts.compactMap { name, part in part.flatMap { $0 <= total ? (name, $0 / total) : nil } }
  }

  /// The unit of one of Sentry's measurements that states none.
  static func usualUnit(of key: BorrowedJSONString) -> String {
    switch key {
    case "app_start_cold", "app_start_warm", "time_to_initial_display", "time_to_full_display", "stall_total_time",
      "stall_longest_time":
      "millisecond"
    default: ""
    }
  }
}
