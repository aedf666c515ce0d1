@testable import Core
@testable import Storage

/// Messages as `plumb check` writes them.
enum Sample {
  /// 2026-11-20 09:15:00 UTC
  static let time = Timestamp(milliseconds: 1_795_166_100_000)

  static let item = AlertMessage.Item(
    incident: "3f2a9c01d4e5b678", event: .opened,
    summary: "4.2.0: a new crash in Cart.pay() explains 73 % of its crashes; two more budgets broken",
    facts: [
      .init("Noticed", "2026-11-20T09:15:00Z"),
      .init(
        "New crash",
        "EXC_BAD_ACCESS in Cart.pay() is new in 4.2.0: 1.02 % (0.81–1.28 % at 95 %, n 8,120) of its sessions"),
      .init("Budget", "p90 launch.first_draw is 2.41 s (2.30–2.52 s at 95 %, n 8,120), budget <= 2 s"),
      .init("Budget", "p90 memory.peak is 335 MB (321–354 MB at 95 %, n 3,004), budget <= 300 MB"),
      .init("Evidence", "83 of 8,120 sessions, of 71 users"),
      .init("Group", "00000000000000c1"),
    ],
    advice: "Open the group. Find your first frame in the crashed thread and what changed there in 4.2.0.",
    link: "https://plumb.example.com/apps/com.example.shop/groups/00000000000000c1?release=4.2.0&kind=crash",
    // At midnight: of when it broke only the day is known.
    since: Timestamp(milliseconds: 1_795_046_400_000),
    trend: [
      .init(label: "2026-11-18", value: 1620, text: "1.62 s", isBroken: false),
      .init(label: "2026-11-19", value: 1990, text: "1.99 s", isBroken: false),
      .init(label: "2026-11-20", value: 2410, text: "2.41 s", isBroken: true),
    ])

  static let ended = AlertMessage.Item(
    incident: "00000000000000aa", event: .resolved,
    summary: "p90 memory.peak of 4.2.0 is 280 MB (262–297 MB at 95 %, n 3,004), budget <= 300 MB", facts: [],
    since: Timestamp(milliseconds: time.milliseconds - 86_400_000))

  static let message = AlertMessage(
    identifier: "7f3a-opened-2026-11-20", event: .opened, severity: .critical, app: "com.example.shop",
    release: "4.2.0", environment: "production",
    title: "NEW CAUSE com.example.shop: \(item.summary); also all releases (resolved)", items: [item, ended],
    link: "https://plumb.example.com/apps/com.example.shop/alerts", time: time)

  /// Every text is `text`.
  static func hostile(_ text: String, items: Int = 1) -> AlertMessage {
    let item = AlertMessage.Item(
      incident: text, event: .opened, summary: text, facts: [.init(text, text)], advice: text, link: text,
      since: time, trend: [.init(label: text, value: 1, text: text, isBroken: true)])
    return AlertMessage(
      identifier: text, event: .opened, severity: .critical, app: text, release: text, environment: text, title: text,
      items: Array(repeating: item, count: items), link: text, time: time)
  }
}
