import Core

/// Uploads in the protocol of sentry-cli, which reads errors as plain JSON.
extension SentryDebugFileUploads {
  static let operations = [
    operation(
      "get", "organizations/{organization}/chunk-upload/", id: "debugFileOptions",
      "How to upload debug files in pieces",
      "The first request of `sentry-cli debug-files upload`.",
      APIAnswer(
        200, "The answer.",
        APIContent(
          "application/json",
          anyObject(
            requiring: [
              "url", "chunkSize", "chunksPerRequest", "maxFileSize", "maxRequestSize", "concurrency", "hashAlgorithm",
              "compression", "accept",
            ]),
          example: .object([
            ("url", "organizations/team/chunk-upload/"), ("chunkSize", 8_388_608), ("chunksPerRequest", 64),
            ("maxFileSize", 2_147_483_648), ("maxRequestSize", 33_554_432), ("concurrency", 1),
            ("hashAlgorithm", "sha1"), ("compression", ["gzip"]), ("accept", ["debug_files"]),
          ])))),
    operation(
      "post", "organizations/{organization}/chunk-upload/", id: "uploadDebugFilePieces", "Upload pieces of debug files",
      "Up to 64 parts named `file` (or `file_gzip` if compressed). The file name of each is the SHA-1 of its "
        + "uncompressed bytes. Pieces expire an hour after their last use.",
      body: APIBody(
        APIContent(
          "multipart/form-data",
          .object(
            ObjectSchema(["file", "file_gzip"].map { .init($0, .binary, isRequired: false) })))),
      APIAnswer(200, "All pieces are stored.", APIContent("application/json", .anyObject, example: .object([]))),
      refusals: [
        problem(
          400, "The SHA-1 of a part differs from its file name, or the part cannot be read.", "Piece refused",
          "The SHA-1 of a piece differs from its file name."),
        problem(
          413, "More than 34 MiB, or too many unfinished files of one token.", "Too many pieces",
          "The token has too many pieces of unfinished files. Pieces expire an hour after their last use."),
      ]),
    operation(
      "post", "projects/{organization}/{project}/files/difs/assemble/", id: "assembleDebugFiles",
      "Join pieces to debug files",
      "The body lists at most 1,000 files by their SHA-1, with the pieces of each. Files are checked and stored as "
        + "with `PUT /api/v1/symbols`.",
      body: APIBody(
        APIContent(
          "application/json",
          .value([
            ("type", "object"), ("maxProperties", 1000), ("propertyNames", .object([("pattern", sum)])),
            (
              "additionalProperties",
              .object([
                ("type", "object"), ("required", ["name", "chunks"]),
                (
                  "properties",
                  .object([
                    ("name", .object([("type", "string")])),
                    ("debug_id", .object([("type", "string"), ("pattern", "^[0-9a-f-]{36}$")])),
                    ("chunks", list(of: .object([("type", "string"), ("pattern", sum)]))),
                  ])
                ),
              ])
            ),
          ]),
          example: .object([
            (
              file,
              .object([
                ("name", "Shop"), ("debug_id", "4c4c443a-5555-3144-a170-e8fd87173ff7"), ("chunks", [.string(file)]),
              ])
            )
          ]))),
      APIAnswer(
        200,
        "The state of each file: `not_found` with `missingChunks`, `ok` with `dif` (`null` for an executable, which is "
          + "not stored), `error` with `detail`.",
        APIContent(
          "application/json",
          .map(
            of: .object(
              ObjectSchema([
                .init("state", .oneOf(["not_found", "ok", "error"])),
                .init("missingChunks", .array(of: .string)), .init("detail", .optional(.string), isRequired: false),
                .init("dif", .optional(.anyObject), isRequired: false),
              ]))),
          example: .object([
            (file, .object([("state", "not_found"), ("missingChunks", [.string(file)])]))
          ]))),
      refusals: [
        problem(400, "The list cannot be read.", "List not understood", "$.aaf4: chunks is missing"),
        problem(
          413, "More than 1 MiB.", "Body too large", "The limit for bodies is 1048576 bytes."),
      ]),
  ]

  private static let sum: JSONOutput = "^[0-9a-f]{40}$"
  private static let file = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"

  private static func list(of items: JSONOutput) -> JSONOutput { .object([("type", "array"), ("items", items)]) }

  private static func anyObject(requiring names: [String]) -> JSONSchema {
    .anyObject.with("required", .array(names.map { .string($0) }))
  }

  private static func problem(_ status: Int, _ about: String, _ title: String, _ detail: String) -> APIAnswer {
    .problem(status, about, title: title, detail, type: "application/json")
  }

  private static func operation(
    _ method: String, _ path: String, id: String, _ summary: String, _ about: String, body: APIBody? = nil,
    _ answer: APIAnswer, refusals: [APIAnswer] = []
  ) -> APIOperation {
    var notAllowed = APIAnswer.methodNotAllowed
    notAllowed.component = nil
    notAllowed.contents[0].type = "application/json"
    var busy = SymbolUploads.busy(type: "application/json")
    busy.contents += SymbolUploads.busy().contents
    return APIOperation(
      method, "/api/0/" + path, id: id, summary, about, body: body,
      answers: [answer] + refusals.filter { $0.status == 400 } + [
        SymbolUploads.tokenNeeded(type: "application/json"), notAllowed,
      ]
        + refusals.filter { $0.status != 400 }
        + [
          problem(415, "A `Content-Encoding`.", "Content encoding not supported", "Send the body uncompressed."), busy,
        ], security: ["uploadToken"])
  }
}
