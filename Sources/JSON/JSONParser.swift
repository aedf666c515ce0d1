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
  ///   - isPadded: says that `padding` bytes behind `bytes` are readable; otherwise the document is copied.
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
