import CSimdJSON

/// A simdjson parser that reuses its memory for the next document. Use one per thread.
///
///     let parser = JSONParser()
///     try parser.withDocument(bytes) { root in
///       for (key, value) in try root.object() { … }
///     }
///
/// A parser needs about fourteen bytes for each byte of the largest document it has parsed. Memory beyond `keptMemory`
/// bytes is freed after use, so that a few huge documents do not occupy it forever.
public final class JSONParser {
  /// The number of readable bytes that must follow a document for it to be parsed without a copy.
  public static let padding = Int(PLUMB_JSON_PADDING)

  /// The deepest nesting, unless a parser is created with another limit.
  public static let mostLevels = 8192

  private let maximumDepth: Int
  private let mostValues: Int
  private let keptMemory: Int
  private var handle: OpaquePointer?
  private var isBusy = false

  /// Creates a parser with limits.
  ///
  /// - Parameters:
  ///   - maximumDepth: the deepest nesting. A frame of MetricKit's call stacks takes two levels, so the default allows
  ///     stacks of 4,000 frames.
  ///   - mostValues: the maximum number of values and keys in a document. It is checked before memory is allocated: a
  ///     value takes two bytes of text, but 24 on the tape.
  ///   - keptMemory: the number of bytes kept between documents.
  public init(
    maximumDepth: Int = JSONParser.mostLevels, mostValues: Int = JSONParser.mostValues, keptMemory: Int = 1 << 20
  ) {
    self.maximumDepth = max(1, maximumDepth)
    self.mostValues = max(1, mostValues)
    self.keptMemory = keptMemory
  }

  /// The default limit of values and keys in a document. Dense documents, such as MetricKit's payloads, have one per
  /// fifteen bytes: 1.1 million in 16 MiB.
  public static let mostValues = 1_100_000

  /// The approximate number of values and keys in a document. It is exact when it exceeds `limit`.
  public static func valueCount(of bytes: UnsafeRawBufferPointer, over limit: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    return plumb_json_count_values(base.assumingMemoryBound(to: UInt8.self), bytes.count, limit)
  }

  deinit { release() }

  /// Parses one document, with or without a byte order mark, and passes its root to `body`. The root is valid only
  /// inside `body`.
  ///
  /// - Parameters:
  ///   - isPadded: whether `padding` bytes after `bytes` are readable; otherwise the document is copied.
  ///   - offset: the byte offset of the document in a larger text, which is added to the offsets in errors.
  /// - Throws: `JSONError` when the bytes are not JSON, and anything that `body` throws.
  public func withDocument<Result>(
    _ bytes: UnsafeRawBufferPointer, isPadded: Bool = false, offset: Int = 0, _ body: (JSONValue) throws -> Result
  ) throws -> Result {
    precondition(!isBusy, "A JSONParser parses one document at a time")
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
      throw JSONError(.tooLarge, "a document may have at most \(mostValues) values and names; split it")
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
  /// The error for a simdjson status, with the byte at which the document stops being JSON.
  static func error(_ status: plumb_json_status, _ bytes: UnsafeRawBufferPointer, _ offset: Int, depth: Int = 0)
    -> JSONError
  {
    switch status {
    case PLUMB_JSON_EMPTY: return JSONError(.empty, "the document is empty or has only white space")
    case PLUMB_JSON_TOO_DEEP:
      let path = DepthLocator.path(in: bytes, limit: depth)
      return JSONError(.syntax, path: path, "nested deeper than \(depth) levels")
    case PLUMB_JSON_TOO_LARGE: return JSONError(.syntax, "the document is too large for the parser")
    case PLUMB_JSON_OUT_OF_MEMORY: return JSONError(.syntax, "not enough memory to parse the document")
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
    case PLUMB_JSON_INVALID_NUMBER: "a number that is invalid in JSON or too large"
    case PLUMB_JSON_INVALID_LITERAL: "a word other than true, false and null"
    default: "commas, colons or brackets do not match"
    }
  }

  private static func firstInvalidByte(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    return plumb_json_first_invalid_utf8(base.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
