import Core
import Symbols

extension SymbolUploads {
  static let operations = [
    APIOperation(
      "put", "/api/v1/symbols", id: "uploadSymbols", "Upload symbols",
      "The body is one DWARF file of a dSYM (TARGET.dSYM/Contents/Resources/DWARF/NAME), or a zip that contains dSYMs. "
        + "Known symbols are not stored again. `plumb token add NAME --uploads` creates the token.",
      parameters: [
        APIParameter("name", "The name of the binary, if the body is a single file.", example: "Shop"),
        .flag(
          "system",
          "`true` for a system library of Apple. Its symbol table is enough; its frames are symbolicated, but do not "
            + "count as the app's own code."),
      ],
      body: APIBody(APIContent("application/octet-stream", .binary), APIContent("application/zip", .binary)),
      answers: [
        APIAnswer(200, "At least one file was accepted or already known.", .json(SymbolReceipt.schema)),
        .problem(
          400, "No file of the body was accepted; `refused` has the reason for each.", title: "No symbols accepted",
          "Shop: " + damaged,
          [("refused", .array([.object([("name", "Shop"), ("reason", .string(damaged))])]))]), tokenNeeded(),
        .problem(
          413, "The body exceeds `upload-limit`.", title: "Body too large",
          "The limit for bodies is 2147483648 bytes.", [("limit", 2_147_483_648)]),
        .problem(
          415, "A Content-Encoding other than one of gzip, deflate, br and zstd.",
          title: "Content encoding not supported",
          "Send the body uncompressed or with one of gzip, deflate, br and zstd; found Content-Encoding: lzma"), busy(),
      ], security: ["uploadToken"])
  ]

  private static let damaged =
    "the file is damaged or cut off: section __debug_info ends at byte 27539, the file at 20000"

  static func tokenNeeded(type: String = "application/problem+json") -> APIAnswer {
    .problem(
      401, "No upload token.", title: "Upload token needed",
      "Send an upload token as `Authorization: Bearer TOKEN`.", type: type)
  }

  static func busy(type: String = "application/problem+json") -> APIAnswer {
    .problem(
      503, "Two other uploads are running, or the disk is full.", title: "Too many bodies in flight",
      "The server is receiving as many bodies as it can hold. Try again shortly.", type: type)
  }
}

extension JSONSchema {
  static let binary = string.with("format", "binary")
}
