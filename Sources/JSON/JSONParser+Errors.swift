internal import CSimdJSON

extension JSONParser {
  /// simdjson's code in words, with the byte at which the document stops being JSON.
  static func error(_ status: plumb_json_status, _ bytes: UnsafeRawBufferPointer, _ offset: Int, depth: Int = 0)
    -> JSONError
  {
    switch status {
    case PLUMB_JSON_EMPTY: return JSONError(.empty, "there is no document: it is empty or white space")
    case PLUMB_JSON_TOO_DEEP:
      let path = DepthLocator.path(in: bytes, limit: depth)
      return JSONError(.syntax, path: path, "nested deeper than \(depth) levels")
    case PLUMB_JSON_TOO_LARGE: return JSONError(.syntax, "larger than a parser can hold")
    case PLUMB_JSON_OUT_OF_MEMORY: return JSONError(.syntax, "not enough memory to read the document")
    case PLUMB_JSON_INVALID_UTF8: return JSONError(.syntax, "not UTF-8 at byte \(offset + firstInvalidByte(bytes))")
    default: break
    }
    guard let found = SyntaxLocator.locate(bytes) else { return JSONError(.syntax, "not JSON: \(sort(status))") }
    return JSONError(.syntax, "not JSON at byte \(offset + found.offset): \(found.problem)")
  }

  private static func sort(_ status: plumb_json_status) -> String {
    switch status {
    case PLUMB_JSON_INVALID_STRING: "a string with an invalid escape or a control character"
    case PLUMB_JSON_UNCLOSED_STRING: "a string without its closing quote"
    case PLUMB_JSON_INVALID_NUMBER: "a number that is not written as JSON writes numbers, or is too large"
    case PLUMB_JSON_INVALID_LITERAL: "a word other than true, false and null"
    default: "commas, colons or brackets do not match"
    }
  }

  private static func firstInvalidByte(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    return plumb_json_first_invalid_utf8(base.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
