internal import JSON
internal import Telemetry

extension SentryReader {
  /// Reasons and categories are few; an envelope that names more is not counting.
  private static var mostLosses: Int { 1000 }

  /// A `client_report` item: what the client threw away, by category and reason.
  mutating func readLosses(_ report: JSONObject) {
    let lists: [(StaticString, String)] = [
      ("discarded_events", ""), ("rate_limited_events", "rate_limited"), ("filtered_events", "filtered"),
    ]
    for (key, reason) in lists {
      guard let entries = report.array(key) else { continue }
      for entry in entries { readLoss(entry, defaultReason: reason) }
    }
  }

  private mutating func readLoss(_ entry: JSONValue, defaultReason: String) {
    guard losses.count < Self.mostLosses, let loss = entry.objectOrNil, let quantity = loss.number("quantity"),
      let count = Int(exactly: min(quantity, Limits.losses).rounded()), count > 0
    else { return }
    losses.append(
      ClientLoss(
        category: loss.text("category")?.kept ?? "default", reason: loss.text("reason")?.kept ?? defaultReason,
        quantity: count))
  }
}
