@testable import Storage

extension Sample {
  /// A weekly summary as `plumb summary` writes it: advice on releases, incidents, broken budgets and every metric.
  static let digest = AlertMessage(
    identifier: "5d41402abc4b2a76", event: .digest, severity: .warning, app: "com.example.shop",
    environment: "production",
    title: "com.example.shop, 2026-11-13 to 2026-11-19: 1 of 2 budgets broken; 99.62\u{A0}% crash-free sessions "
      + "(99.71\u{A0}% the week before)",
    items: [releases, incidents, broken, numbers],
    link: "https://plumb.example.com/apps/com.example.shop?from=2026-11-13&to=2026-11-19", time: time)

  private static let releases = part(
    "1", "Releases",
    [
      .init(
        "4.2.0 (1234)", "hold: 1 of 2 budgets broken, adoption 22.1\u{A0}%"),
      .init("4.1.3 (1190)", "ship: 0 of 2 budgets broken, adoption 71.0\u{A0}%"),
    ])

  private static let incidents = part(
    "2", "Incidents", [.init("New", item.summary), .init("Ended", ended.summary)])

  private static let broken: AlertMessage.Item = {
    var broken = part(
      "3", item.summary,
      [.init("Since", "2026-11-18"), .init("Release", "4.2.0 (1234)")])
    broken.advice = item.advice
    broken.trend = item.trend
    return broken
  }()

  private static let numbers = part(
    "4", "Metrics with a budget",
    [
      .init(
        "Crash-free sessions",
        "99.62\u{A0}% (99.51\u{2013}99.71\u{A0}%), 99.71\u{A0}% the week before; "
          + "within \u{2265} 99.5\u{A0}%"),
      .init(
        "Launch to first draw, p90",
        "2.41\u{A0}s (2.30\u{2013}2.52\u{A0}s), 1.62\u{A0}s the week before; "
          + "broken, budget \u{2264} 2\u{A0}s"),
    ])

  private static func part(_ name: String, _ summary: String, _ facts: [Detail]) -> AlertMessage.Item {
    AlertMessage.Item(
      incident: "com.example.shop/digest/\(name)", event: .digest, summary: summary, facts: facts, since: time)
  }
}
