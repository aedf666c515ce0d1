import Core
import Storage

extension TriageRoutes {
  static let operations = [
    APIOperation(
      "post", "/api/v1/apps/{app}/groups/{group}", id: "decideGroup",
      "Resolve, ignore or reopen a group, set its owner or note",
      "Does the same as the forms on the group's page. Missing members stay unchanged; an empty owner or note is "
        + "removed. Requires the role editor, or a token with the scope `edit`.",
      body: APIBody(
        APIContent(
          "application/json",
          .object(
            ObjectSchema(
              [
                .init("state", .oneOf(["open", "resolved", "ignored"]), isRequired: false),
                .init(
                  "release", .string, "For `resolved`: the release with the fix, a version or a version and build.",
                  isRequired: false),
                .init("owner", .string(to: GroupNote.longestOwner), isRequired: false),
                .init("note", .string(to: GroupNote.longestText), isRequired: false),
              ],
              keywords: [
                ("anyOf", .array(["state", "owner", "note"].map { .object([("required", .array([$0]))]) }))
              ])), example: .object([("state", "resolved"), ("release", "4.2.1")]))),
      answers: [
        APIAnswer(204, "Stored."), .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .conflict,
        .failure, .busy,
      ]),
    APIOperation(
      "post", "/api/v1/apps/{app}/silences", id: "addSilence", "Silence an app's alerts for a while",
      "Like `plumb silence add`, starting now. Requires the role editor, or a token with the scope `edit`.",
      body: APIBody(
        APIContent(
          "application/json",
          .object(
            ObjectSchema([
              .init("hours", .integer(from: 1, to: 2160)), .init("reason", .string(from: 1)),
              .init(
                "rule", .string, "A rule, a metric, or a budget as written; all rules by default.",
                isRequired: false),
              .init("release", .string, "A version, or version and build; all by default.", isRequired: false),
            ])),
          example: .object([("hours", 24), ("reason", "fix is in review"), ("release", "4.2.0")]))),
      answers: [
        APIAnswer(204, "Stored."), .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .failure,
        .busy,
      ]),
    APIOperation(
      "delete", "/api/v1/apps/{app}/silences/{silence}", id: "endSilence", "End a silence",
      "Requires the role editor, or a token with the scope `edit`.",
      answers: [
        APIAnswer(204, "Ended."), .unauthorized, .forbidden, .notFound, .methodNotAllowed, .failure, .busy,
      ]),
  ]
}
