import JSON
import Storage
import Telemetry

extension DiagnosticList {
  /// The JSON of the API. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("kind", .optional(kind?.name)),
      ("diagnostics", .array(diagnostics.map(\.json))), ("next", next.map { .integer($0) } ?? .null),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension StoredDiagnostic {
  var json: JSONNode {
    .object([
      ("id", .integer(number)), ("kind", .string(kind.name)), ("source", .string(source.title)),
      ("day", .string(day.iso)), ("time", .optional(time?.iso)), ("received", .string(received.iso)),
      ("environment", .string(environment)), ("release", .string(release.versionTitle)),
      ("build", .string(release.build)),
      ("os", .string(os)), ("device", .string(model)), ("quantity", .optional(quantity)),
      ("unit", .optional(kind.quantityUnit?.symbol)), ("exception", exception.json),
    ])
  }
}

extension ExceptionFacts {
  var json: JSONNode {
    .object([
      ("type", .optional(type)), ("code", .optional(code.map { "0x" + String($0, radix: 16) })),
      ("signal", .optional(signal)), ("name", .optional(name)), ("termination", .optional(termination)),
      ("reason", .optional(reason)),
    ])
  }
}
