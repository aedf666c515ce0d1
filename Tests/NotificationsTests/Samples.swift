import Foundation
import Notifications

/// Messages as `plumb check` writes them.
enum Sample {
  /// 2026-11-20 09:15:00 UTC
  static let time = Date(timeIntervalSince1970: 1_795_166_100)

  static let item = AlertMessage.Item(
    incident: "com.example.shop/production/launch.first_draw/p90", event: .opened,
    summary: "p90 launch.first_draw of 4.2.0 is 2.41 s (2.30 to 2.52 s, n = 8,120), budget <= 2 s",
    facts: [
      .init(name: "Previous release", value: "4.1.3: 1.62 s (1.55 to 1.70 s, n = 40,211)"),
      .init(name: "Where", value: "worst on iPhone SE (2nd generation), iOS 17"),
    ],
    advice: "Compare 4.1.3 with 4.2.0 and open the slowest devices.",
    link: "https://plumb.example.com/apps/com.example.shop/metrics/launch.first_draw?release=4.2.0&percentile=90",
    since: time.addingTimeInterval(-900),
    trend: [
      .init(label: "2026-11-18", value: 1620, text: "1.62 s", isBroken: false),
      .init(label: "2026-11-19", value: 1990, text: "1.99 s", isBroken: false),
      .init(label: "2026-11-20", value: 2410, text: "2.41 s", isBroken: true),
    ])

  static let ended = AlertMessage.Item(
    incident: "com.example.shop/production/memory.peak/p90", event: .resolved,
    summary: "p90 memory.peak of 4.2.0 is 280 MB (262 to 297 MB, n = 3,004), budget <= 300 MB", facts: [],
    since: time.addingTimeInterval(-86400))

  static let message = AlertMessage(
    identifier: "7f3a-opened-2026-11-20", event: .opened, severity: .critical, app: "com.example.shop",
    release: "4.2.0", environment: "production",
    title: "com.example.shop 4.2.0: p90 launch.first_draw 2.41 s is over its budget of 2 s", items: [item, ended],
    link: "https://plumb.example.com/alerts", time: time)

  /// Every text is `text`.
  static func hostile(_ text: String, items: Int = 1) -> AlertMessage {
    let item = AlertMessage.Item(
      incident: text, event: .opened, summary: text, facts: [.init(name: text, value: text)], advice: text, link: text,
      since: time, trend: [.init(label: text, value: 1, text: text, isBroken: true)])
    return AlertMessage(
      identifier: text, event: .opened, severity: .critical, app: text, release: text, environment: text, title: text,
      items: Array(repeating: item, count: items), link: text, time: time)
  }
}
