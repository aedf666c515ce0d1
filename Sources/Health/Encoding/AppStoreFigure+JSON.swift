package import JSON
package import Telemetry

extension AppStoreFigure {
  /// The API's form, in Apple's unit.
  package var json: JSONOutput {
    .object([
      ("platform", .string(key.platform)), ("category", .string(key.category)), ("metric", .string(key.metric)),
      ("device", .string(key.device)), ("device_name", .string(deviceName)), ("percentile", .string(key.percentile)),
      ("version", .string(key.version)), ("unit", .string(unit)), ("value", .number(value)),
      ("error_margin", errorMargin.map(JSONOutput.number) ?? .null),
      ("goal", goal.isEmpty ? .null : .string(goal)),
    ])
  }
}
