import Core

/// A fleet's events as documents of the native format, one per line.
enum NativeDocuments {
  static func lines(_ events: [Arrivals.Event]) -> String {
    events.map { document($0) }.joined(separator: "\n") + "\n"
  }

  private static func document(_ event: Arrivals.Event) -> String {
    let head = """
      {"app":{"bundle_id":"\(CommandPlay.app)","version":"\(Scenario.name(of: event.release))","build":"1"},\
      "device":{"model":"iPhone15,2","os":"iOS 18.1"},"installation":"user-\(event.user)",
      """
    return head.replacing("\n", with: "") + content(event) + "}"
  }

  private static func content(_ event: Arrivals.Event) -> String {
    let session = "session-\(event.user)-\(event.release)-\(event.about)"
    let time = time(ofMinute: event.about).iso
    switch event.what {
    case .session:
      return #""sessions":[{"id":"\#(session)","status":"ok","started":"\#(time)"}]"#
    case .crash(let cause):
      // The named frame identifies the cause, so that each cause is one group.
      return #""sessions":[{"id":"\#(session)","status":"crashed","started":"\#(time)"}],"#
        + #""crashes":[{"at":"\#(time)","session":"\#(session)","exception":"EXC_BAD_ACCESS","signal":11,"#
        + #""frames":[{"binary":"Shop","offset":\#(4096 + cause * 64),"function":"Cause\#(cause).run()"}]}]"#
    case .payload(let values, _):
      let items = values.map { #"{"metric":"launch.first_draw","value":\#($0.rounded()),"at":"\#(time)"}"# }
      return #""measurements":[\#(items.joined(separator: ","))]"#
    }
  }

  static func time(ofMinute minute: Int) -> Timestamp {
    Timestamp(milliseconds: (Int64(Scenario.origin) * 1440 + Int64(minute)) * 60_000)
  }
}
