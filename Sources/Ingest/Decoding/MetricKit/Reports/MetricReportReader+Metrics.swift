internal import Core

extension MetricReportReader {
  mutating func readMetric(_ key: BorrowedJSONString, _ value: JSONValue) throws {
    guard let metric = MetricReportField.named(key) else { return try readUnknown(key, value) }
    let reference = MetricReference(name: metric.name, unit: .count, kind: .counter)
    switch metric.shape {
    case .histogram: try readHistogram(reference, value)
    case .sample(let member):
      let member = member.utf8CodeUnitCount == 0 ? value : (value.objectOrNil)?[member] ?? value
      if Self.hasNoSamples(member) { return }
      guard let number = try quantity(member, reference.unit) else { return }
      append(reference, .samples([number]))
    case .counter:
      let isInstructions = metric.name == "cpu.instructions"
      guard let sum = try quantity(value, reference.unit, isInstructions: isInstructions) else { return }
      append(reference, .counter(sum))
    case .parts(let names): try readParts(names, value)
    case .foregroundExits: try readExits(metric.name, value)
    case .backgroundExits: try readExits(metric.name, value)
    case .signpost: try readSignpost(value)
    case .frameRate: try readFrameRate(reference, value)
    }
  }

  /// Whether a value is an average of no samples: `{"value": {"average": …, "count": 0}}`.
  private static func hasNoSamples(_ value: JSONValue) -> Bool {
    guard let object = value.objectOrNil else { return false }
    let average = (object["value"]?.objectOrNil) ?? object
    return (average["count"]?.numberOrNil) == 0
  }

  private mutating func readParts(_ names: [String: String], _ value: JSONValue) throws {
    guard let object = value.objectOrNil else { return rejectedSamples += 1 }
    let parts = (object["value"]?.objectOrNil) ?? object
    for (key, part) in parts where !part.isNull && key.count <= 64 {
      guard let name = names[key.string] else { continue }
      let reference = MetricReference(name: name, unit: .seconds, kind: .counter)
      if let sum = try quantity(part, reference.unit) { append(reference, .counter(sum)) }
    }
  }

  /// Reads exit counts by reason. A reason that older payloads do not have becomes a custom metric.
  private mutating func readExits(_ prefix: String, _ value: JSONValue) throws {
    guard let object = value.objectOrNil else { return rejectedSamples += 1 }
    let counts = (object["value"]?.objectOrNil) ?? (object["counts"]?.objectOrNil) ?? object
    var sawNormal = false
    for (key, value) in counts where !value.isNull && key.count <= 64 {
      guard value.kind == .integer || value.kind == .double || value.kind == .object else { continue }
      guard let count = try quantity(value, .count) else { continue }
      let reason = ExitReason(reportKey: key.string)
      sawNormal = sawNormal || reason == .normal
      append(prefix + (reason?.name ?? Self.name(key)), .counter(count.rounded()))
    }
    // Always appended, so that "no exits" differs from "not reported".
    if !sawNormal { append(prefix + "normal", .counter(0)) }
  }

  private mutating func readFrameRate(_ reference: MetricReference, _ value: JSONValue) throws {
    guard let object = value.objectOrNil else { return rejectedSamples += 1 }
    let rate = (object["value"]?.objectOrNil) ?? object
    guard let frames = try quantity(rate["framesPerSecond"] ?? value, .framesPerSecond) else { return }
    let layer = try? (rate["layerName"] ?? object["layerName"])?.text().kept
    append(reference, label: layer ?? "", .samples([frames]))
  }

  /// Reads a signpost into the metrics that `MXMetricPayload`'s signposts use.
  private mutating func readSignpost(_ value: JSONValue) throws {
    guard let signpost = value.objectOrNil, let name = try? names.name(of: signpost) else {
      return rejectedSamples += 1
    }
    let isTest = (try? SimulatedPayloadDetection.isTestSignpost(signpost)) ?? false
    hasOnlyTestSignposts = (hasOnlyTestSignposts ?? true) && isTest
    var hasInterval = false
    for (key, value) in signpost where !value.isNull {
      switch key {
      case "histogram":
        hasInterval = true
        try readHistogram(name.metric(.duration), value)
      case "cpuTime", "cumulativeCPUTime", "totalCPUTime":
        if let time = try quantity(value, .seconds) { append(name.metric(.cpu), .counter(time)) }
      case "averageMemory":
        guard !Self.hasNoSamples(value), let memory = try quantity(value, .bytes) else { continue }
        append(name.metric(.memory), .samples([memory]))
      case "logicalWrites":
        guard let writes = try quantity(value, .bytes) else { continue }
        append(name.metric(.writes), .counter(writes))
      case "hitchTimeRatio":
        guard let ratio = try quantity(value, .millisecondsPerSecond) else { continue }
        append(name.metric(.hitchRatio), .samples([ratio]))
      default: break
      }
    }
    guard !hasInterval, let total = signpost["totalCount"], let count = try quantity(total, .count) else { return }
    append(name.metric(.count), .counter(count.rounded()))
  }

  /// Reads a metric outside the catalogue. With buckets or a number it becomes a custom distribution.
  private mutating func readUnknown(_ key: BorrowedJSONString, _ value: JSONValue) throws {
    let name = Self.name(key)
    guard !name.isEmpty, let object = value.objectOrNil else { return }
    if object["histogram"] != nil || object["buckets"] != nil {
      let unit = Self.unit(Self.firstBound(of: object))
      return try readHistogram(.custom(name: name, unit: unit, kind: .distribution), value)
    }
    let inner = (object["value"]?.objectOrNil) ?? object
    let unit = Self.unit(inner["unit"] == nil ? inner["average"] : inner.value)
    guard object["value"] != nil, let number = try quantity(value, unit) else { return }
    append(.custom(name: name, unit: unit, kind: .distribution), .samples([number]))
  }

  private static func firstBound(of object: JSONObject) -> JSONValue? {
    let holder = (object["histogram"]?.objectOrNil) ?? object
    let first = (holder["buckets"]?.arrayOrNil)?.first { _ in true }
    return (first?.objectOrNil)?["lowerBound"]
  }

  /// The unit in which a custom metric's values are stored.
  private static func unit(_ value: JSONValue?) -> MetricUnit {
    let object = value?.objectOrNil
    guard let symbol = MeasuredQuantity.symbol(object?["unit"]), symbol.count <= 16 else { return .count }
    if symbol == "Hz" { return .framesPerSecond }
    return InputUnit(symbol: symbol.string)?.canonical ?? .count
  }

  private static func name(_ key: BorrowedJSONString) -> String {
    let bytes = key.bytes.filter { $0 & 0xC0 != 0x80 }.prefix(DecodingLimits.metricNameBytes - 20)
    return String(decoding: bytes.map { MetricNameRule.allows($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
  }
}
