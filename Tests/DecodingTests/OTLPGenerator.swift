import TestSupport

/// Makes requests field by field, as no client would: any field any number of times, in any order, and now and then with
/// a value of another type, in protobuf and in JSON.
struct OTLPGenerator {
  var random: SeededRandom

  private indirect enum Kind {
    case string, bool, double, fixed64, int64, int32, sint32, uint32, temporality
    case doubles, fixed64s, uint64s
    case message(String)
    case messages(String)
  }

  /// Every message of otlp.proto.
  private static let schema: [String: [(number: UInt64, name: String, kind: Kind)]] = [
    "metrics": [(1, "resource_metrics", .messages("resourceMetrics"))],
    "logs": [(1, "resource_logs", .messages("resourceLogs"))],
    "traces": [(1, "resource_spans", .messages("resourceSpans"))],
    "resourceMetrics": [(1, "resource", .message("resource")), (2, "scope_metrics", .messages("scopeMetrics"))],
    "resourceLogs": [(1, "resource", .message("resource")), (2, "scope_logs", .messages("scopeLogs"))],
    "resourceSpans": [(1, "resource", .message("resource")), (2, "scope_spans", .messages("scopeSpans"))],
    "resource": [(1, "attributes", .messages("attribute"))],
    "scope": [(1, "name", .string), (2, "version", .string), (3, "attributes", .messages("attribute"))],
    "attribute": [(1, "key", .string), (2, "value", .message("value"))],
    "value": [
      (1, "string_value", .string), (2, "bool_value", .bool), (3, "int_value", .int64), (4, "double_value", .double),
      (5, "array_value", .message("array")), (6, "kvlist_value", .message("list")),
    ],
    "array": [(1, "values", .messages("value"))],
    "list": [(1, "values", .messages("attribute"))],
    "scopeMetrics": [(1, "scope", .message("scope")), (2, "metrics", .messages("metric"))],
    "metric": [
      (1, "name", .string), (3, "unit", .string), (5, "gauge", .message("gauge")), (7, "sum", .message("sum")),
      (9, "histogram", .message("histogram")), (10, "exponential_histogram", .message("exponential")),
      (11, "summary", .message("summary")),
    ],
    "gauge": [(1, "data_points", .messages("number"))],
    "sum": [
      (1, "data_points", .messages("number")), (2, "aggregation_temporality", .temporality), (3, "is_monotonic", .bool),
    ],
    "histogram": [
      (1, "data_points", .messages("buckets")), (2, "aggregation_temporality", .temporality),
      (3, "is_monotonic", .bool),
    ],
    "exponential": [
      (1, "data_points", .messages("exponentialBuckets")), (2, "aggregation_temporality", .temporality),
    ],
    "summary": [(1, "data_points", .messages("quantiles")), (2, "aggregation_temporality", .temporality)],
    "quantiles": [(3, "time_unix_nano", .fixed64)],
    "number": [
      (2, "start_time_unix_nano", .fixed64), (3, "time_unix_nano", .fixed64), (4, "as_double", .double),
      (6, "as_int", .fixed64), (7, "attributes", .messages("attribute")), (8, "flags", .uint32),
    ],
    "buckets": [
      (2, "start_time_unix_nano", .fixed64), (3, "time_unix_nano", .fixed64), (4, "count", .fixed64),
      (5, "sum", .double), (6, "bucket_counts", .fixed64s), (7, "explicit_bounds", .doubles),
      (9, "attributes", .messages("attribute")), (10, "flags", .uint32), (11, "min", .double), (12, "max", .double),
    ],
    "exponentialBuckets": [
      (1, "attributes", .messages("attribute")), (2, "start_time_unix_nano", .fixed64),
      (3, "time_unix_nano", .fixed64), (4, "count", .fixed64), (5, "sum", .double), (6, "scale", .sint32),
      (7, "zero_count", .fixed64), (8, "positive", .message("side")), (9, "negative", .message("side")),
      (10, "flags", .uint32), (12, "min", .double), (13, "max", .double), (14, "zero_threshold", .double),
    ],
    "side": [(1, "offset", .sint32), (2, "bucket_counts", .uint64s)],
    "scopeLogs": [(1, "scope", .message("scope")), (2, "log_records", .messages("record"))],
    "record": [
      (1, "time_unix_nano", .fixed64), (2, "severity_number", .int32), (5, "body", .message("value")),
      (6, "attributes", .messages("attribute")), (11, "observed_time_unix_nano", .fixed64), (12, "event_name", .string),
    ],
    "scopeSpans": [(1, "scope", .message("scope")), (2, "spans", .messages("span"))],
    "span": [
      (5, "name", .string), (7, "start_time_unix_nano", .fixed64), (8, "end_time_unix_nano", .fixed64),
      (9, "attributes", .messages("attribute")),
    ],
  ]

  /// The fields that exclude each other, or hold such: JSON may have one of them.
  private static let choices: [String: ClosedRange<UInt64>] = [
    "attribute": 2...2, "value": 1...6, "metric": 5...11, "number": 4...6,
  ]

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private mutating func one<Element>(of list: [Element]) -> Element {
    list[Int.random(in: 0..<list.count, using: &random)]
  }

  /// How many fields a message has: fewer further inside, so that it ends.
  private mutating func count(_ depth: Int) -> Int {
    let most = depth < 7 ? 4 : depth < 60 ? 2 : 1
    return Int.random(in: depth < 5 ? 1...most : 0...most, using: &random)
  }

  private static let texts = [
    "", "a", "k", "Zoë 🚀", "\"\\\n\u{1}", "12", "-3", "NaN", String(repeating: "x", count: 140),
  ]

  // MARK: - Protobuf

  /// The bytes of a message.
  mutating func wire(_ message: String, depth: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<count(depth) {
      let field = one(of: Self.schema[message] ?? [])
      if chance(15) {
        bytes += unknown()
      } else if chance(10) {
        // Of another type behind the right one, which stays.
        bytes += value(field.number, field.kind, depth) + value(field.number, one(of: [.bool, .double]), depth)
      } else if chance(150) {
        bytes += value(field.number, one(of: [.string, .bool, .double, .doubles, .uint64s]), depth)
      } else {
        bytes += value(field.number, field.kind, depth)
      }
    }
    return bytes
  }

  private mutating func value(_ number: UInt64, _ kind: Kind, _ depth: Int) -> [UInt8] {
    switch kind {
    case .bool, .int64, .int32, .sint32, .uint32, .temporality: varint(number << 3) + varint(integer())
    case .double, .fixed64: varint(number << 3 | 1) + word()
    case .string: block(number, chance(400) ? [0xC3, 0x28] : Array(one(of: Self.texts).utf8))
    case .doubles, .fixed64s:
      chance(3) ? varint(number << 3 | 1) + word() : block(number, word() + (chance(2) ? word() : []))
    case .uint64s:
      chance(3) ? varint(number << 3) + varint(integer()) : block(number, varint(integer()) + varint(integer()))
    case .message(let inner), .messages(let inner): block(number, depth > 68 ? [] : wire(inner, depth: depth + 1))
    }
  }

  private mutating func unknown() -> [UInt8] {
    let number = UInt64.random(in: 15...40, using: &random)
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: varint(number << 3) + varint(integer())
    case 1: varint(number << 3 | 5) + [1, 2, 3, 4]
    case 2: block(number, [1, 2])
    case 3:
      varint(number << 3 | 3) + (chance(2) ? unknown() : []) + varint((chance(60) ? number + 1 : number) << 3 | 4)
    default: chance(40) ? varint(number << 3 | 6) : varint(number << 3 | 1) + word()
    }
  }

  private mutating func block(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(content.count + (chance(400) ? 1 : 0))) + content
  }

  private mutating func integer() -> UInt64 {
    chance(3) ? UInt64.random(in: 0 ... .max, using: &random) : one(of: [0, 1, 2, 3, 127, 128, 1 << 31, 1 << 32, .max])
  }

  private mutating func word() -> [UInt8] {
    let number = chance(2) ? integer() : Double(Int.random(in: -3...100, using: &random)).bitPattern
    return (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// At times longer than it must be.
  private mutating func varint(_ number: UInt64) -> [UInt8] {
    var (rest, bytes): (UInt64, [UInt8]) = (number, [])
    repeat {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    } while rest > 0
    if bytes.count < 10, chance(150) { bytes += Array(repeating: 128, count: chance(8) ? 6 : 1) }
    bytes[bytes.count - 1] &= 127
    return bytes
  }

  // MARK: - JSON

  /// The text of a message.
  mutating func json(_ message: String, depth: Int = 0) -> String {
    var members: [String] = []
    var isChosen = false
    for _ in 0..<count(depth) {
      let field = one(of: Self.schema[message] ?? [])
      if Self.choices[message]?.contains(field.number) == true {
        if isChosen, !chance(30) { continue }
        isChosen = true
      }
      if chance(12) {
        members.append(one(of: [#""x_y":[{"a":[[]]}]"#, #""schemaUrl":"x""#, #""time_unixNano":1"#, "\"\":{}"]))
      }
      let kind = chance(200) ? one(of: [.string, .bool, .double, .doubles, .message("value")]) : field.kind
      members.append("\"\(name(field.name))\":\(chance(25) ? "null" : text(kind, depth))")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func name(_ snake: String) -> String {
    if chance(8) { return snake }
    let words = snake.split(separator: "_").map(String.init)
    return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private mutating func text(_ kind: Kind, _ depth: Int) -> String {
    switch kind {
    case .string:
      one(of: [
        "\"\"", "\"a\"", "\"k\"", "\"Zo\\u00eb \\ud83d\\ude80\"", "\"\\\"\\n\"", "\"🚀\"", chance(40) ? "1" : "\"\"",
      ])
    case .bool: chance(200) ? one(of: ["\"true\"", "0"]) : one(of: ["true", "false"])
    case .double, .fixed64, .int64, .int32, .sint32, .uint32: number()
    case .temporality:
      chance(3)
        ? number()
        : one(of: [
          "1", "2", "\"AGGREGATION_TEMPORALITY_DELTA\"", "\"AGGREGATION_TEMPORALITY_CUMULATIVE\"",
          "\"AGGREGATION_TEMPORALITY_UNSPECIFIED\"", "\"DELTA\"", "\"1\"", "\"\"",
        ])
    case .doubles, .fixed64s, .uint64s:
      "["
        + (0..<Int.random(in: 0...3, using: &random)).map { _ in chance(200) ? "null" : number() }.joined(
          separator: ",") + "]"
    case .message(let inner): depth > 68 ? "{}" : json(inner, depth: depth + 1)
    case .messages(let inner):
      "["
        + (0..<Int.random(in: 0...2, using: &random)).map { _ in
          chance(200) ? "null" : depth > 68 ? "{}" : json(inner, depth: depth + 1)
        }.joined(separator: ",") + "]"
    }
  }

  /// Mostly what every type takes; at times what only some do, or none.
  private mutating func number() -> String {
    let plain = one(of: ["0", "1", "7", "1795251600", "2147483647", "5.0", "1e3", "12"])
    if !chance(70) { return chance(3) ? "\"\(plain)\"" : plain }
    let odd = one(of: [
      "-1", "-7.0", "0.5", "-2147483649", "2147483648", "4294967295", "4294967296", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1e20", "1.5e1",
      "1e-5", "1e400", "-0.0", "1E+2", "100000000000000000000000",
    ])
    let text = one(of: [
      "NaN", "Infinity", "-Infinity", "Inf", "-Inf", "", " 1", "1 ", "01", "+1", "-", "1.", ".5", "1e", "0x1", "nan",
      "1_0", "00", "-01", "1e+", "-0", "true", "１",
    ])
    return chance(2) ? odd : chance(2) ? "\"\(odd)\"" : "\"\(text)\""
  }
}
