import Analysis
import Core
import Storage

extension DeletionRoutes {
  static let operations = [
    APIOperation(
      "post", "/api/v1/apps/{app}/deletions", id: "requestDeletion", "Delete a part of an app's data",
      "As `plumb delete`. Name exactly one of `user`, `payload`, `release`, `metric` (with `label`), `from` (with `to`) and "
        + "`everything`. The answer comes at once; the process that digests carries the request out. What cannot be taken "
        + "out of the sums exactly is refused, and then nothing changes: docs/deleting.md says when.",
      parameters: [
        APIParameter("user", "The id of a user or installation, as the client sent it.", example: "7f3c9a"),
        APIParameter("payload", "The `Idempotency-Key` of a request.", example: "0b9f6c1e-3d20"),
        APIParameter("release", "A version with its builds, or one build.", example: "4.2.0 (1234)"),
        APIParameter("metric", "A metric, with the rates that are computed from it.", example: "checkout.total"),
        APIParameter("label", "With `metric`: only this label of it.", example: "Cart"),
        APIParameter("from", "The first day, by the app's clocks.", .date, example: "2026-11-01"),
        APIParameter("to", "With `from`: the last day; without it the first.", .date, example: "2026-11-03"),
        APIParameter(
          "everything", "The app's bundle identifier once more: the app with all it sent, and its keys.",
          example: "com.example.shop"),
        .flag("dry_run", "`true`: says what would be deleted, and deletes nothing."),
      ],
      answers: [
        APIAnswer(200, "With `dry_run`: what is found, a line each.", .json(DeletionTrial.schema)),
        APIAnswer(
          202, "The request is stored.", APIContent("application/json", Deletion.schema, example: example()),
          headers: [("Location", "Where its state is.")]),
        .problem(
          400, "It is not clear what to delete.", title: "Unclear what to delete",
          "Name exactly one of: user, payload, release, metric (with label), from (with to), everything (the app's bundle "
            + "identifier once more). dry_run=true shows what is found."),
        .problem(
          409, "With `dry_run`: it cannot be deleted, and why.", title: "Cannot be deleted",
          "payloads counts sessions, payloads or diagnostics: delete a release, days, a user or a payload instead."),
        .problem(
          429, "Another dry run of the token is not finished, or 100 deletions of the app wait.",
          title: "Too many deletions", "Another dry run of this token is not finished. Try again in a second."),
        tokenNeeded, .notFound, .methodNotAllowed, .failure, .busy,
      ], security: ["deleteToken"]),
    APIOperation(
      "get", "/api/v1/deletions/{deletion}", id: "getDeletion", "A request to delete",
      "Its state, and once it is done the statement to keep: what was deleted and what remains. A refused one has the "
        + "reason instead.",
      answers: [
        APIAnswer(
          200, "The answer.",
          APIContent(
            "application/json", Deletion.schema,
            example: example(finished: "2026-11-20T10:00:02Z", statement: "Deletion 7: …\nsessions: 3")),
          headers: [("Location", "This address.")]), tokenNeeded, .notFound, .methodNotAllowed, .failure, .busy,
      ], security: ["deleteToken"]),
  ]

  /// Without `finished` of a request that waits.
  private static func example(finished: String? = nil, statement: String = "") -> JSONOutput {
    .object([
      ("deletion", 7), ("state", finished == nil ? "waiting" : "done"),
      ("scope", "the user or installation whose hash is 1c13936b65021c6c"), ("app", "com.example.shop"),
      ("requested", "2026-11-20T10:00:00Z"), ("finished", .optional(finished)), ("statement", .string(statement)),
    ])
  }

  private static let tokenNeeded = APIAnswer.problem(
    401, "A token with the scope `delete` is needed; `plumb token add NAME --scope delete` prints one.",
    title: "Token for deleting needed",
    "Send a token that may delete as `Authorization: Bearer TOKEN`. `plumb token add privacy --scope delete` makes one."
  )
}

/// A request to delete, as the API answers it.
struct Deletion: APIObject {
  let erasure: Erasure

  static let fields = Fields<Self>("Deletion") {
    Field("deletion", \.erasure.id, "The request's number.", schema: .integer(format: "int64"))
    Field(
      "state", { $0.erasure.finished == nil ? "waiting" : $0.erasure.isRefused ? "refused" : "done" },
      schema: .oneOf(["waiting", "done", "refused"]))
    Field("scope", \.erasure.scope.title, "What it is about; ids of people as their hash.")
    Field("app", \.erasure.bundleID)
    Field("requested", \.erasure.requested)
    Field("finished", \.erasure.finished, "null while it waits.")
    Field("statement", \.erasure.statement, "What was deleted and what remains, or why it was refused.")
  }
}

/// What a request to delete would find.
struct DeletionTrial: APIObject {
  let scope: String
  /// A line each.
  let found: [String]

  static let fields = Fields<Self>("DeletionTrial") {
    Field("scope", \.scope)
    Field("found", \.found)
  }
}
