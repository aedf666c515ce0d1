import JSON
import Storage

extension ReleaseChecklist: TableConvertible {
  /// The JSON of the API: what the checklist's page shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("release", .optional(release)),
      ("window", window.json), ("slice", Slice(environment: environment, release: release).json),
      ("digested_through", .integer(digestedThrough)), ("items", .array(items.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// A row a topic.
  public var table: CSVTable { CSVTable(columns: ["topic", "verdict"], rows: items.map(\.json)) }
}

extension ReleaseChecklist.Item {
  var json: JSONNode {
    .object([
      ("topic", .string(topic.rawValue)), ("verdict", .optional(verdict?.rawValue)),
      ("budgets", .array(results.map(\.json))),
    ])
  }
}
