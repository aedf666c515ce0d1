import Core
import Symbols

extension SymbolUploads {
  static let operations = [
    APIOperation(
      "put", "/api/v1/symbols", id: "uploadSymbols", "Upload symbols",
      "The body is one DWARF file of a dSYM (TARGET.dSYM/Contents/Resources/DWARF/NAME), or a zip with dSYMs anywhere in "
        + "it. What is there already is not stored again. `plumb token add NAME --uploads` prints the token.",
      parameters: [
        APIParameter("name", "What the binary is called, where the body is one file.", example: "Shop"),
        .flag(
          "system",
          "`true` for a library of Apple's systems, whose symbol table is enough: its frames get names, and it is not the "
            + "app's own code."),
      ],
      body: APIBody(APIContent("application/octet-stream", .binary), APIContent("application/zip", .binary)),
      answers: [
        APIAnswer(200, "At least one file was taken or known.", .json(SymbolReceipt.schema)),
        .problem(
          400, "Nothing in the body could be taken; `refused` says why, file by file.", title: "No symbols taken",
          "Shop: " + damaged,
          [("refused", .array([.object([("name", "Shop"), ("reason", .string(damaged))])]))]), tokenNeeded(),
        .problem(
          413, "More than `upload-limit`.", title: "Body too large",
          "A body of at most 2147483648 bytes is accepted here.", [("limit", 2_147_483_648)]),
        .problem(
          415, "A Content-Encoding other than one of gzip, deflate, br and zstd.",
          title: "Content encoding not supported",
          "Send the body plain or with one of gzip, deflate, br and zstd; Content-Encoding was: lzma"), busy(),
      ], security: ["uploadToken"])
  ]

  private static let damaged =
    "the file is damaged or cut off: section __debug_info ends at byte 27539, the file at 20000"

  fileprivate static func tokenNeeded(type: String = "application/problem+json") -> APIAnswer {
    .problem(
      401, "No token for uploads.", title: "Upload token needed",
      "Send a token for uploads as `Authorization: Bearer TOKEN`.", type: type)
  }

  fileprivate static func busy(type: String = "application/problem+json") -> APIAnswer {
    .problem(
      503, "Two others upload at the moment, or the disk is full.", title: "Too many bodies in flight",
      "The server is receiving as much as it can hold. Try again shortly.", type: type)
  }
}

extension JSONSchema {
  fileprivate static let binary = string.with("format", "binary")
}

/// Uploads in the protocol of sentry-cli, which reads errors as plain JSON.
extension DebugFileUploads {
  static let operations = [
    operation(
      "get", "organizations/{organization}/chunk-upload/", id: "debugFileOptions",
      "How to upload debug files in pieces",
      "What `sentry-cli debug-files upload` asks first.",
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
      "Up to 64 parts called `file`, or `file_gzip` for compressed ones, each with the SHA-1 of its plain bytes as its file "
        + "name. A piece goes an hour after its last use.",
      body: APIBody(
        APIContent(
          "multipart/form-data",
          .object(
            ObjectSchema(["file", "file_gzip"].map { .init($0, .binary, isRequired: false) })))),
      APIAnswer(200, "All are stored.", APIContent("application/json", .anyObject, example: .object([]))),
      refusals: [
        problem(
          400, "A part has another checksum than its name, or cannot be read.", "Piece not taken",
          "The bytes of a piece have another SHA-1 than its name says."),
        problem(
          413, "More than 34 MiB, or more unfinished files than one token may leave.", "Too many pieces",
          "More pieces of unfinished files are here than one token may leave. They go an hour after their last use."),
      ]),
    operation(
      "post", "projects/{organization}/{project}/files/difs/assemble/", id: "assembleDebugFiles",
      "Join pieces to debug files",
      "The body names files by their SHA-1, with the pieces they are made of; at most 1,000 files. A file is checked and "
        + "kept as by `PUT /api/v1/symbols`.",
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
        "The state of each file: `not_found` with `missingChunks`, `ok` with `dif` (`null` for an executable of which "
          + "nothing is kept), `error` with `detail`.",
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
          413, "More than 1 MiB.", "Body too large", "A body of at most 1048576 bytes is accepted here."),
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
          problem(415, "A `Content-Encoding`.", "Content encoding not supported", "Send the body plain."), busy,
        ], security: ["uploadToken"])
  }
}
