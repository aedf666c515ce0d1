internal import Core
internal import Storage

extension AlertMessage.Event {
  /// The word before an item's summary.
  var words: String {
    switch self {
    case .opened: "New"
    case .worsened: "Worse"
    case .stillBroken: "Still open"
    case .resolved: "Resolved"
    case .retired: "Ended"
    case .digest: "Digest"
    }
  }

  /// Whether the incident is open after the event.
  var isOpen: Bool { self == .opened || self == .worsened || self == .stillBroken }
}

extension AlertMessage {
  /// The second line of a message: `critical · com.example.shop 4.2.0 · production · 2026-11-20 09:15 UTC`.
  var context: String {
    [
      event == .digest ? nil : severity.rawValue, ([app] + [release].compactMap(\.self)).joined(separator: " "),
      environment, time.utcMinute,
    ]
    .compactMap { $0?.oneLine.cut(200) }.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// The colour for the event and severity, as 0xRRGGBB: green for an end, blue for a summary, else red, amber or blue.
  var colour: Int {
    if event == .digest { return 0x1565C0 }
    guard event.isOpen else { return 0x2E7D32 }
    return switch severity {
    case .critical: 0xC62828
    case .warning: 0xB26A00
    case .info: 0x1565C0
    }
  }
}

extension AlertMessage.Item {
  /// The item's first line: `New: p90 launch.first_draw …`.
  var line: String { event == .digest ? summary.oneLine : "\(event.words): \(summary.oneLine)" }

  /// The names and values below the item's first line: since when, the facts, the advice. Each is one line.
  var details: [(name: String, value: String)] {
    var details = facts.map { (name: $0.name.oneLine, value: $0.value.oneLine) }
    if event != .digest { details.insert(("Since", since.utcDayOrMinute), at: 0) }
    if let advice { details.append(("Check first", advice.oneLine)) }
    return details
  }
}
