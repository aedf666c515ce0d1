import Analysis
public import Core
public import Storage

/// One page of the audit log.
public struct AuditEntryList: APIObject {
  let entries: [AuditEntry]
  let limit: Int

  /// `limit`: the maximum number of entries requested.
  public init(_ entries: [AuditEntry], limit: Int) { (self.entries, self.limit) = (entries, limit) }

  public static let fields = Fields<Self>("AuditLog") {
    Field.version(HealthReport.schema)
    Field("entries", \.entries, "Newest first, at most 100.")
    Field(
      "before", { $0.entries.count == $0.limit ? $0.entries.last?.id : nil },
      "The value of `before` for the next request; null if there are no older entries.")
  }
}

extension Actor.Kind: APIValue {}

/// The JSON of the API and of `plumb audit`.
extension AuditEntry: APIObject {
  public static let fields = Fields<Self> {
    Field("id", \.id)
    Field("time", \.time)
    Field("by", \.actor.kind)
    Field("name", \.actor.name, "The name of the user, the token or the operating system's user.")
    Field("action", \.event.action)
    Field("app", \.event.app, "Null for all apps.")
    Field("subject", \.event.subject)
    Field("detail", \.event.detail)
  }
}
