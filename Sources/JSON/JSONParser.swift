internal import CSimdJSON

/// Parses documents with simdjson, and keeps its memory for the next one. Use one per thread.
///
///     let parser = JSONParser()
///     try parser.withDocument(bytes) { root in
///       for (key, value) in try root.object() { … }
///     }
///
/// A parser takes about fourteen bytes for each byte of the largest document it has seen; one that has grown past
/// `keptMemory` is freed after use, so that a few huge documents do not hold memory for ever.
public final class JSONParser {
  /// Bytes behind a document that must be readable for it to be parsed without a copy.
  public static let padding = Int(PLUMB_JSON_PADDING)

  private let maximumDepth: Int
  private let mostValues: Int
  private let keptMemory: Int
  private var handle: OpaquePointer?
  private var isBusy = false

  /// A parser that refuses documents nested deeper than `maximumDepth`. A frame of MetricKit's call stacks takes two levels:
  /// the default reads stacks of 4,000 frames. One of more than `mostValues` values and names is refused before memory is
  /// taken for them: two bytes are enough to write one, and it takes 24 on the tape.
  public init(maximumDepth: Int = 8192, mostValues: Int = JSONParser.mostValues, keptMemory: Int = 1 << 20) {
    self.maximumDepth = max(1, maximumDepth)
    self.mostValues = max(1, mostValues)
    self.keptMemory = keptMemory
  }

  /// MetricKit's payloads, which are dense, have one for each fifteen bytes: 1.1 million in 16 MiB.
  public static let mostValues = 1_100_000

  /// About how many values and names a document has; exact where it is more than `limit`.
  public static func valueCount(of bytes: UnsafeRawBufferPointer, over limit: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    return plumb_json_count_values(base.assumingMemoryBound(to: UInt8.self), bytes.count, limit)
  }

  deinit { release() }

  /// Parses one document, perhaps behind a byte order mark, and hands out its root, which is valid only inside `body`.
  ///
  /// - Parameters:
  ///   - isPadded: whether `padding` bytes behind `bytes` are readable; otherwise the document is copied.
  ///   - offset: where the document starts in a larger text: added to the byte offsets in errors.
  /// - Throws: `JSONError` when the bytes are no JSON, and what `body` throws.
  public func withDocument<Result>(
    _ bytes: UnsafeRawBufferPointer, isPadded: Bool = false, offset: Int = 0, _ body: (JSONValue) throws -> Result
  ) throws -> Result {
    precondition(!isBusy, "A JSONParser reads one document at a time")
    isBusy = true
    defer {
      isBusy = false
      if let handle, plumb_json_parser_memory(handle) > keptMemory { release() }
    }
    let start = JSONDocuments.endOfByteOrderMark(in: bytes, at: 0)
    let root = try parse(UnsafeRawBufferPointer(rebasing: bytes[start...]), isPadded, offset + start)
    do {
      return try body(root)
    } catch let error as JSONError {
      throw error.located(in: root)
    }
  }

  private func parse(_ bytes: UnsafeRawBufferPointer, _ isPadded: Bool, _ offset: Int) throws(JSONError) -> JSONValue {
    guard let handle = handle ?? plumb_json_parser_create(maximumDepth) else {
      throw Self.error(PLUMB_JSON_OUT_OF_MEMORY, bytes, offset)
    }
    self.handle = handle
    guard let base = bytes.baseAddress else { throw Self.error(PLUMB_JSON_EMPTY, bytes, offset) }
    var document = plumb_json_document()
    let start = base.assumingMemoryBound(to: UInt8.self)
    if bytes.count > mostValues, Self.valueCount(of: bytes, over: mostValues) > mostValues {
      throw JSONError(.tooLarge, "a document may hold \(mostValues) values and names; send the rest in another")
    }
    let status = plumb_json_parse(handle, start, bytes.count, isPadded, &document)
    guard status == PLUMB_JSON_OK, let tape = document.tape, let strings = document.strings else {
      throw Self.error(status, bytes, offset, depth: maximumDepth)
    }
    return JSONValue(tape: tape, strings: strings, index: 1)
  }

  private func release() {
    if let handle { plumb_json_parser_destroy(handle) }
    handle = nil
  }
}

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
