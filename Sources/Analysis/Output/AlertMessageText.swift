public import Storage

/// A message as lines for a terminal or a mail from cron.
public enum AlertMessageText {
  /// The title, then the evidence of each incident, indented.
  public static func lines(_ message: AlertMessage) -> [String] {
    let isAlone = message.items.count == 1
    let lines = message.items.flatMap { item -> [String] in
      let head = isAlone ? [] : ["  \(item.event.rawValue.replacing("_", with: " ")): \(item.summary)"]
      return head + details(item).map { (isAlone ? "  " : "    ") + $0 }
    }
    return [message.title] + lines
  }

  private static func details(_ item: AlertMessage.Item) -> [String] {
    let since = item.event == .digest ? [] : ["Since: \(item.since.utcDayOrMinute)"]
    return since + item.facts.map { "\($0.name): \($0.value)" }
      + [item.advice.map { "Check: \($0)" }, item.link].compactMap { $0 }
      + ["Incident: \(item.incident)"]
  }
}
