public import JSON

extension Response {
  /// An error as `application/problem+json` (RFC 9457).
  ///
  ///     .problem(422, "Not a payload", detail: "A number was expected.", ["path": "$.sessions[3].seq"])
  ///
  /// `members` are the extension members of §3.2; the order given is kept.
  public static func problem(
    _ status: Int, _ title: String, detail: String? = nil,
    _ members: KeyValuePairs<String, JSONNode> = [:], headers: [(String, String)] = []
  ) -> Response {
    var problem: [(String, JSONNode)] = [
      ("type", "about:blank"), ("title", .string(title)), ("status", .count(status)),
    ]
    if let detail { problem.append(("detail", .string(detail))) }
    problem += members.map { ($0.key, $0.value) }
    return Response(
      status: status, headers: [("Content-Type", "application/problem+json")] + headers,
      body: JSONNode.object(problem).encoded())
  }
}
