internal import JSON
internal import Telemetry

extension MetricPayloadReader {
  /// Devices omit counters that are zero, and may omit both of the objects that hold them. Normal exits are always
  /// appended, so that "no exits" and "not reported" (a payload without this section) stay apart.
  mutating func readExits(_ exits: JSONObject) throws {
    try readExits(exits["foregroundExitData"], ExitField.foreground)
    try readExits(exits["backgroundExitData"], ExitField.background)
  }

  private mutating func readExits(_ counters: JSONValue?, _ fields: ExitField.Table) throws {
    var sawNormal = false
    if let counters {
      for (key, value) in try counters.object() where !value.isNull {
        guard let metric = fields.metric(key), let count = try count(value) else { continue }
        append(.known(metric), .counter(Double(count)))
        sawNormal = sawNormal || metric == fields.normal
      }
    }
    if !sawNormal { append(.known(fields.normal), .counter(0)) }
  }
}

/// A counter of exits, spelled as `ExitReason.metricKit` says.
///
/// Invariant behind @unchecked: `key` points to bytes that are written once and never freed.
struct ExitField: @unchecked Sendable {
  let key: UnsafeBufferPointer<UInt8>
  /// The metric's number in the catalogue.
  let metric: UInt16

  /// The counters of one section.
  struct Table {
    let all: [ExitField]
    let normal: UInt16

    /// The metric counted under `key`; nil for an unknown key.
    func metric(_ key: JSONText) -> UInt16? {
      for field in all where key == field.key { return field.metric }
      return nil
    }
  }

  static let foreground = table(\.foregroundMetric)
  static let background = table(\.backgroundMetric)

  private static func table(_ number: (ExitReason) -> UInt16) -> Table {
    Table(
      all: ExitReason.allCases.map { ExitField(key: .immortal($0.metricKit), metric: number($0)) },
      normal: number(.normal))
  }
}
