import Core

extension Response {
  /// An error as `application/problem+json` (RFC 9457).
  ///
  ///     .problem(422, "Not a payload", detail: "Expected a number.", ["path": "$.sessions[3].seq"])
  ///
  /// `members`: the extension members of §3.2, written in the given order.
  static func problem(
    _ status: Int, _ title: String, detail: String? = nil,
    _ members: KeyValuePairs<String, JSONOutput> = [:], headers: [(String, String)] = []
  ) -> Response {
    let others = members.map { ($0.key, $0.value) }
    return Response(
      status: status, headers: [("Content-Type", "application/problem+json")] + headers,
      body: ProblemDocument.output(status, title, detail: detail, others).encoded())
  }
}

/// The problem document of a refusal (RFC 9457).
enum ProblemDocument {
  static let schema = JSONSchema.object(
    ObjectSchema(
      name: "Problem", about: "RFC 9457.",
      [
        .init("type", .string), .init("title", .string), .init("status", .integer()),
        .init("detail", .string, isRequired: false),
        .init("parameter", .string, "The invalid query parameter.", isRequired: false),
        .init(
          "refused", .array(of: .object(ObjectSchema([.init("name", .string), .init("reason", .string)]))),
          "For an upload of symbols: each refused file.", isRequired: false),
      ]))

  /// The document's JSON. `others`: the extension members of RFC 9457 §3.2.
  static func output(
    _ status: Int, _ title: String, detail: String?, _ others: [(String, JSONOutput)]
  ) -> JSONOutput {
    .object(
      [("type", "about:blank"), ("title", .string(title)), ("status", .count(status))]
        + (detail.map { [("detail", .string($0))] } ?? []) + others)
  }
}
