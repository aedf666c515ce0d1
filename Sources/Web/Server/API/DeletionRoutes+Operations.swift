import Analysis
import Core
import Storage

extension DeletionRoutes {
  static let operations = [
    APIOperation(
      "post", "/api/v1/apps/{app}/deletions", id: "requestDeletion", "Delete a part of an app's data",
      "Like `plumb delete`. Send exactly one of `user`, `payload`, `release`, `metric` (with `label`), `from` (with "
        + "`to`) and `everything`. The response is sent immediately; the process that digests carries out the request. "
        + "A deletion that would make sums inexact is refused and changes nothing; see docs/deleting.md.",
      parameters: [
        APIParameter("user", "The id of a user or installation, as sent by the client.", example: "7f3c9a"),
        APIParameter("payload", "The `Idempotency-Key` of a request.", example: "0b9f6c1e-3d20"),
        APIParameter("release", "A version with all its builds, or one build.", example: "4.2.0 (1234)"),
        APIParameter("metric", "A metric and the rates that are computed from it.", example: "checkout.total"),
        APIParameter("label", "With `metric`: only this label of the metric.", example: "Cart"),
        APIParameter("from", "The first day, by the clocks of the app's devices.", .date, example: "2026-11-01"),
        APIParameter("to", "With `from`: the last day; by default the first day.", .date, example: "2026-11-03"),
        APIParameter(
          "everything", "The app's bundle identifier, repeated: deletes the app, all its data and its keys.",
          example: "com.example.shop"),
        .flag("dry_run", "`true`: returns what would be deleted, and deletes nothing."),
      ],
      answers: [
        APIAnswer(200, "With `dry_run`: the data found.", .json(DeletionTrial.schema)),
        APIAnswer(
          202, "The request is stored.", APIContent("application/json", Deletion.schema, example: example()),
          headers: [("Location", "The address of the request's state.")]),
        .problem(
          400, "The parameters do not select exactly one thing to delete.", title: "Unclear what to delete",
          "Send exactly one of: user, payload, release, metric (with label), from (with to), everything (the app's "
            + "bundle identifier). dry_run=true shows what would be deleted."),
        .problem(
          409, "With `dry_run`: the reason why this cannot be deleted.", title: "Cannot be deleted",
          "payloads counts sessions, payloads or diagnostics. Delete a release, days, a user or a payload instead."),
        .problem(
          429, "Another dry run of the token is still running, or 100 deletions of the app are waiting.",
          title: "Too many deletions", "Another dry run of this token is still running. Try again in a second."),
        tokenNeeded, .notFound, .methodNotAllowed, .failure, .busy,
      ], security: ["deleteToken"]),
    APIOperation(
      "get", "/api/v1/deletions/{deletion}", id: "getDeletion", "A request to delete",
      "Its state and, when done, a statement to keep: what was deleted and what remains. For a refused request, the "
        + "reason.",
      answers: [
        APIAnswer(
          200, "The answer.",
          APIContent(
            "application/json", Deletion.schema,
            example: example(finished: "2026-11-20T10:00:02Z", statement: "Deletion 7: …\nsessions: 3")),
          headers: [("Location", "This address.")]), tokenNeeded, .notFound, .methodNotAllowed, .failure, .busy,
      ], security: ["deleteToken"]),
  ]

  /// An example; without `finished`, of a waiting request.
  private static func example(finished: String? = nil, statement: String = "") -> JSONOutput {
    .object([
      ("deletion", 7), ("state", finished == nil ? "waiting" : "done"),
      ("scope", "the user or installation whose hash is 1c13936b65021c6c"), ("app", "com.example.shop"),
      ("requested", "2026-11-20T10:00:00Z"), ("finished", .optional(finished)), ("statement", .string(statement)),
    ])
  }

  private static let tokenNeeded = APIAnswer.problem(
    401, "No token with the scope `delete`; `plumb token add NAME --scope delete` creates one.",
    title: "Delete token needed",
    "Send a token with the scope delete as `Authorization: Bearer TOKEN`. "
      + "To create one, run `plumb token add NAME --scope delete`."
  )
}

/// The API's answer about a request to delete.
struct Deletion: APIObject {
  let erasure: Erasure

  static let fields = Fields<Self>("Deletion") {
    Field("deletion", \.erasure.id, "The request's number.", schema: .integer(format: "int64"))
    Field(
      "state", { $0.erasure.finished == nil ? "waiting" : $0.erasure.isRefused ? "refused" : "done" },
      schema: .oneOf(["waiting", "done", "refused"]))
    Field("scope", \.erasure.scope.title, "What to delete; ids of users as hashes.")
    Field("app", \.erasure.bundleID)
    Field("requested", \.erasure.requested)
    Field("finished", \.erasure.finished, "When the request finished; null while it is waiting.")
    Field("statement", \.erasure.statement, "What was deleted and what remains, or why it was refused.")
  }
}

/// The data that a request to delete would find.
struct DeletionTrial: APIObject {
  let scope: String
  /// One line per kind of data.
  let found: [String]

  static let fields = Fields<Self>("DeletionTrial") {
    Field("scope", \.scope)
    Field("found", \.found)
  }
}
