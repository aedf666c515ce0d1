import JSON

extension AlertList {
  /// The JSON of the API: what the page shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .optional(app)),
      ("open", .array(open.map { $0.incident.json(app: $0.app) })),
      ("past", .array(past.map { $0.incident.json(app: $0.app) })),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}
