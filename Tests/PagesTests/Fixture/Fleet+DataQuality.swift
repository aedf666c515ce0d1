@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

extension Fleet {
  static let dataQuality = DataQuality(
    app: "com.example.shop",
    window: Window(days: 28, endingOn: lastDay), digestedThrough: 12_345, lastReceived: asOf,
    counts: [
      .accepted: [count("MetricKit", 9_120), count("Sentry", 3_100)],
      .rejected: [count("type", 4, "[2].sessions[0].status: expected a string, found an integer")],
      .limited: [count("body too large", 1)], .duplicate: [count("idempotency key", 17)],
      .setApart: [count("simulated", 2)], .late: [count("2 to 7 days", 40), count("more than 28 days", 1)],
      .lostByClient: [count("session: ratelimit_backoff", 9)], .guessed: [count("unknown unit", 3)],
      .capped: [count("device", 5)], .repeatedDiagnostic: [count("crash", 6)],
    ],
    clients: [
      DataQuality.ClientCounts(
        client: "Shop/1234 CFNetwork/1494.0.7 Darwin/23.4.0", release: "4.2.0 (1234)", accepted: 9_120, late: 41),
      DataQuality.ClientCounts(client: "sentry.cocoa/8.30.0", release: "4.2.0 (1234)", accepted: 3_100),
      DataQuality.ClientCounts(client: "", release: "", rejected: 4, refused: 1, duplicates: 17),
    ])

  private static func count(_ reason: String, _ count: Int, _ detail: String = "") -> DataQuality.Count {
    DataQuality.Count(reason: reason, count: count, lastDetail: detail, lastDay: lastDay - 1)
  }
}
