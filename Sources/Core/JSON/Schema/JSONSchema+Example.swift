extension JSONSchema {
  /// A made-up value that fits the schema. `name`: the member with that value.
  public func example(_ name: String = "") -> JSONOutput { example(name, depth: 0) }

  fileprivate func example(_ name: String, depth: Int) -> JSONOutput {
    switch self {
    case .object(let object): object.example(depth: depth)
    case .array(let items, _):
      // Deeply nested lists are shown empty.
      depth > Self.mostDepth ? .array([]) : .array([items.example(name, depth: depth)])
    case .map(let values): .object([(Self.mapKeys[name] ?? "p90", values.example(name, depth: depth))])
    case .optional(let schema), .described(let schema, _), .named(_, let schema): schema.example(name, depth: depth)
    case .value(let keywords): Self.value(Dictionary(keywords) { $1 }, name)
    }
  }

  private static let mostDepth = 2

  private static func value(_ keywords: [String: JSONOutput], _ name: String) -> JSONOutput {
    if let value = keywords["const"] { return value }
    for list in ["enum", "examples"] {
      if case .array(let values)? = keywords[list], let first = values.first { return first }
    }
    switch (keywords["type"], keywords["format"]) {
    case (.string("string")?, .string("date")?): return .string(days[name] ?? "2026-11-20")
    case (.string("string")?, .string("date-time")?): return "2026-11-20T10:00:00Z"
    case (.string("string")?, _): return .string(texts[name] ?? name)
    case (.string("boolean")?, _): return .bool(flags.contains(name))
    case (.string("integer")?, _):
      return numbers[name].map { .integer(Int64($0)) } ?? keywords["minimum"] ?? 1
    case (.string("number")?, _): return .number(numbers[name] ?? 0.5)
    default: return .object([])
    }
  }

  /// The example keys of maps, by the name of the map's member.
  private static let mapKeys = ["foreground": "watchdog", "background": "memory_limit"]

  private static let days = ["from": "2026-10-24", "first_seen": "2026-11-01", "first_day": "2026-11-01"]

  private static let flags: Set = ["received", "own", "attributed", "symbolic", "report", "new"]

  private static let numbers: [String: Double] = [
    "n": 1200, "n_eff": 812.5, "sessions": 900, "total": 1000, "healthy": 980, "users": 410, "diagnostics": 12,
    "count": 12, "value": 0.997, "low": 0.995, "high": 0.998, "adoption": 0.41, "share": 0.6, "share_of_release": 1,
    "target": 0.995, "warn_target": 0.997, "bound": 0.9955, "confidence": 0.95, "margin": 0.1, "p_value": 0.002,
    "digested_through": 5120, "received": 5130, "accepted": 5120, "rejected": 10, "id": 7, "days": 1, "size": 27539,
    "bytes": 27539, "limit": 1_073_741_824, "factor": 14.4, "budget_left": 0.8, "error_budget_left": 0.6, "caller": -1,
    "crashed": 3, "launches": 5200, "samples": 40, "total_bytes": 1,
  ]

  private static let texts = [
    "app": "com.example.shop", "release": "4.2.0", "build": "1234", "previous": "4.1.0 (1210)", "base": "4.1.0",
    "head": "4.2.0", "version": "4.2.0", "introduced": "4.2.0 (1234)", "environment": "production",
    "environments": "production", "releases": "4.2.0 (1234)", "metrics": "Launch to first draw", "os": "iOS 17.4.1",
    "device": "iPhone15,2", "device_class": "iPhone 12 and older", "device_name": "All iPhones", "class": "iPhone 16",
    "worse_class": "iPhone 12 and older", "where": "experiment=new-cart", "label": "CartView", "key": "iPhone 16",
    "name": "launch.first_draw", "metric": "launch.first_draw", "title": "Launch to first draw", "unit": "ms",
    "statistic": "p90", "budget": "p90 launch.first_draw <= 2 s", "source": "MetricKit", "guide": "launch",
    "reason": "fix is in review", "last_example": "$.metaData", "client": "Shop/4.2", "platform": "iOS",
    "category": "LAUNCH", "percentile": "p90", "goal": "good", "binary": "Shop", "uuid": uuid, "arch": "arm64",
    "explained_by": "3f2a9c01d4e5b678", "code": "0x1", "termination": "Namespace SIGNAL, Code 11", "owner": "ana",
    "author": "ana", "text": "Fix is in review.", "action": "group.resolve", "subject": "3f2a9c01d4e5b678",
    "detail": "4.2.1", "rule": "budget", "value": "4.1.0: 99.62 %", "advice": "Compare the launches of both releases.",
    "summary": "p90 launch.first_draw is 2.31 s (2.27–2.36 s at 95 %, n 20,311), budget <= 2 s",
    "headline": "p90 launch.first_draw is 2.31 s", "ticket_template": "https://tracker.example.com/new?title={title}",
  ]

  private static let uuid = "4C4C443A-5555-3144-A170-E8FD87173FF7"
}

extension ObjectSchema {
  /// A made-up object with all members.
  public var example: JSONOutput { example(depth: 0) }

  fileprivate func example(depth: Int) -> JSONOutput {
    .object(members.map { ($0.name, $0.schema.example($0.name, depth: depth + 1)) })
  }
}
