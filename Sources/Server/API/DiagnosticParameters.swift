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
    kind = try Self.kind(request)
    before = try Self.number("before", request, atMost: .max)
    limit = Int(try Self.number("limit", request, atMost: Int64(DiagnosticList.most)) ?? Int64(DiagnosticList.most))
  }

  /// The parameter `kind`; nil without it.
  static func kind(_ request: RequestSnapshot) throws(InvalidQuery) -> DiagnosticKind? {
    guard let name = request.query("kind") else { return nil }
    guard let kind = DiagnosticKind(name: name) else {
      let names = DiagnosticKind.allCases.map(\.name).joined(separator: ", ")
      throw InvalidQuery(detail: "kind: expected one of \(names), found \"\(name)\"", parameter: "kind")
    }
    return kind
  }

  func list(_ app: App, _ health: HealthReader) throws -> DiagnosticList {
    try health.diagnostics(app, kind: kind, before: before, limit: limit)
  }

  /// The parameter `limit`; the most there is without it.
  static func limit(_ request: RequestSnapshot, most: Int) throws(InvalidQuery) -> Int {
    Int(try number("limit", request, atMost: Int64(most)) ?? Int64(most))
  }

  private static func number(
    _ name: String, _ request: RequestSnapshot, atMost most: Int64
  ) throws(InvalidQuery) -> Int64? {
    guard let text = request.query(name) else { return nil }
    guard let number = Int64(text), (1...most).contains(number) else {
      throw InvalidQuery(
        detail: "\(name): expected a whole number from 1 to \(most), found \"\(text)\"", parameter: name)
    }
    return number
  }
}
