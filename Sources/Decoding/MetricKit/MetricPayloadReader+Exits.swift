internal import JSON
internal import Telemetry

extension MetricPayloadReader {
  /// Devices omit counters that are zero. Normal exits are always written when their section is there, so that "no exits"
  /// and "not reported" stay apart.
  mutating func readExits(_ exits: JSONObject) throws {
    for (key, value) in exits where !value.isNull {
      switch key {
      case "foregroundExitData": try readExits(value.object(), ExitField.foreground)
      case "backgroundExitData": try readExits(value.object(), ExitField.background)
      default: break
      }
    }
  }

  private mutating func readExits(_ counters: JSONObject, _ fields: ExitField.Table) throws {
    var sawNormal = false
    for (key, value) in counters where !value.isNull {
      guard let field = fields.all.first(where: { key == $0.key }), let count = try count(value) else { continue }
      append(field.metric, .counter(Double(count)))
      sawNormal = sawNormal || field.metric == fields.normal
    }
    if !sawNormal { append(fields.normal, .counter(0)) }
  }
}

/// A counter of exits, spelled as `ExitReason.metricKit` says.
struct ExitField {
  let key: [UInt8]
  let metric: MetricReference

  /// The counters of one section.
  struct Table {
    let all: [ExitField]
    let normal: MetricReference
  }

  static let foreground = table(\.foregroundMetric)
  static let background = table(\.backgroundMetric)

  private static func table(_ number: (ExitReason) -> UInt16) -> Table {
    Table(
      all: ExitReason.allCases.map { ExitField(key: Array($0.metricKit.utf8), metric: .known(number($0))) },
      normal: .known(number(.normal)))
  }
}
