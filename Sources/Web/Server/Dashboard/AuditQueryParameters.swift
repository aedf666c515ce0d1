import Analysis
import Core
import Storage

/// The parameters of the audit log's page and API.
enum AuditQueryParameters {
  static let refusal = "This requires an administrator of all apps, or a token with the scope admin."

  static func filter(_ request: RequestSnapshot) throws(InvalidQuery) -> AuditFilter {
    func text(_ name: String) -> String? { request.query(name).flatMap { $0.isEmpty ? nil : $0 } }
    let before = text("before")
    guard before == nil || before.flatMap({ Int64(decimal: $0) }).map({ $0 > 0 }) == true else {
      throw InvalidQuery(
        detail: "before: expected the number of an entry, found \"\(before ?? "")\"", parameter: "before")
    }
    return AuditFilter(
      app: text("app"), actor: text("who"), action: text("action"), before: before.flatMap { Int64(decimal: $0) })
  }
}
