import JSON

extension GroupImpact {
  /// The JSON of the API. What is not known is null.
  public func json(app: String) -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("release", .string(release)),
      ("crash_free", crashFree.json), ("previous", .optional(previous)),
      ("previous_crash_free", previousCrashFree.json), ("crashed", .count(crashed)),
      ("crashed_of", .string(basis.rawValue)), ("together", .number(together)),
      (
        "groups",
        .array(
          parts.map { part in
            .object([
              ("group", part.group.json), ("share", .number(part.share)), ("crash_free_without", part.without.json),
              ("new", .bool(part.isNew)),
            ])
          })
      ),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}
