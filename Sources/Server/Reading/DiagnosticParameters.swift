import HTTP
import Health
import Storage
import Telemetry

/// The query parameters of a list of diagnostics: `kind`, `before`, `limit`.
struct DiagnosticParameters {
  private let kind: DiagnosticKind?
  private let before: Int64?
  private let limit: Int

  init(_ request: RequestSnapshot) throws(InvalidQuery) {
    if let name = request.query("kind"), !name.isEmpty {
      guard let kind = DiagnosticKind(name: name) else {
        let names = DiagnosticKind.allCases.map(\.name).joined(separator: ", ")
        throw InvalidQuery(detail: "kind: expected one of \(names), found \"\(name)\"")
      }
      self.kind = kind
    } else {
      kind = nil
    }
    before = try Self.number("before", request)
    limit = Int(try Self.number("limit", request) ?? Int64(DiagnosticList.most))
  }

  func list(_ app: App, _ health: HealthReader) throws -> DiagnosticList {
    try health.diagnostics(app, kind: kind, before: before, limit: limit)
  }

  private static func number(_ name: String, _ request: RequestSnapshot) throws(InvalidQuery) -> Int64? {
    guard let text = request.query(name), !text.isEmpty else { return nil }
    guard let number = Int64(text), number > 0 else {
      throw InvalidQuery(detail: "\(name): expected a whole number above 0, found \"\(text)\"")
    }
    return number
  }
}
