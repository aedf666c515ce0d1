/// A JSON value in a form that takes a fraction of the text: the keys of an object and every longer text are written
/// once, and numbers are binary. A call stack repeats the same few names in every frame.
///
/// docs/record.md specifies the bytes. A text of JSON is also accepted, unchanged; packed bytes begin with a byte with
/// which no text of JSON begins.
public struct PackedJSON: Sendable, Equatable {
  public let bytes: [UInt8]

  /// `bytes`: packed, or a text of JSON.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Packs a value with the members that `select` chooses. `place` is the place of the value.
  public init(_ value: JSONValue, at place: UInt8 = 0, _ select: @escaping Selection) {
    var packer = JSONPacker(isHashed: false, select)
    _ = packer.append(value, at: place, after: [])
    bytes = packer.finished()
  }

  /// Packs an object, and computes its whole `contentHash()` in the same walk. `members`, which are no containers, precede
  /// its own; those that are nil are left out. `select` decides about its own.
  public static func hashing(
    _ object: JSONObject, after members: [(key: StaticString, value: JSONValue?)], _ select: @escaping Selection
  ) -> (json: PackedJSON, contentHash: UInt64) {
    var packer = JSONPacker(isHashed: true, select)
    var hash = SeededHash()
    hash.combine(packer.append(object.value, at: 0, after: members))
    return (PackedJSON(packer.finished()), hash.value)
  }

  /// Decides about a member of an object at `place`, by its key and by whether its value is an object: the place of the
  /// member's content; nil leaves the member out. What a place means is up to the caller. Elements have the place of
  /// their array. The decision must depend on nothing else: it is made once for all objects with the same keys.
  public typealias Selection = (_ key: BorrowedJSONString, _ isObject: Bool, _ place: UInt8) -> UInt8?

  /// The largest packed form of a text of so many bytes. A number such as `0.5` needs nine bytes instead of four.
  public static func largest(ofText size: Int) -> Int { size.saturatingMultiply(3).saturatingAdd(16) }

  /// The size of the JSON as text, in bytes. In damaged bytes it may be any number.
  public var textSize: Int {
    guard bytes.first == Self.mark else { return bytes.count }
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
      return (try? reader.count()) ?? 0
    }
  }

  /// The JSON as text without white space. Throws if bytes are damaged, or if the text is larger than `limit` bytes.
  public func text(limit: Int) throws -> [UInt8] {
    guard bytes.first == Self.mark else {
      guard bytes.count <= limit else { throw DamagedBytes(offset: limit) }
      return bytes
    }
    return try bytes.withUnsafeBytes { try JSONUnpacker.text(UnsafeRawBufferPointer(rebasing: $0.dropFirst()), limit) }
  }

  /// The first of packed bytes.
  static let mark: UInt8 = 1

  /// The first byte of a value.
  enum Token {
    /// The end of an array.
    static let end: UInt8 = 0
    /// The number of an earlier object's keys and the values follow.
    static let object: UInt8 = 1
    /// The number of keys, the keys and the values follow.
    static let newObject: UInt8 = 2
    /// Elements and `end` follow.
    static let array: UInt8 = 3
    static let null: UInt8 = 4
    static let no: UInt8 = 5
    static let yes: UInt8 = 6
    /// A varint follows.
    static let unsigned: UInt8 = 7
    /// The varint of the number without its sign follows.
    static let negative: UInt8 = 8
    /// Eight bytes follow.
    static let double: UInt8 = 9
    /// A count of bytes and a text follow.
    static let text: UInt8 = 10
    /// The number of an earlier text follows, less `nearTexts`.
    static let repeated: UInt8 = 11
    /// The varint of an address follows, as text `0x` and its hexadecimal digits without zeros before them.
    static let address: UInt8 = 12
    /// The same, as text with sixteen digits.
    static let longAddress: UInt8 = 13
    /// 0x20 to 0x3F: a text of up to 31 bytes.
    static let short: UInt8 = 0x20
    static let shortTexts = 32
    /// 0x40 to 0x7F: a number up to 63.
    static let small: UInt8 = 0x40
    static let smallNumbers: UInt64 = 64
    /// 0x80 to 0xFF: one of the first 128 texts.
    static let near: UInt8 = 0x80
    static let nearTexts = 128
  }

  /// Texts of at least so many bytes have a number, in the order in which they are written. Keys have none.
  static let shortestNumbered = 4
}

/// Reads packed bytes after their mark.
private struct JSONUnpacker {
  private var reader: ByteReader
  private var output: [UInt8] = []
  private var texts: [UnsafeRawBufferPointer] = []
  /// The keys of all objects whose keys were written.
  private var keys: [UnsafeRawBufferPointer] = []
  /// The range of each such object's keys in `keys`.
  private var shapes: [Range<Int>] = []

  private enum Container {
    case array(isEmpty: Bool)
    /// The keys of the members that follow, as a range of `keys`.
    case object(Range<Int>, isEmpty: Bool)
  }

  static func text(_ bytes: UnsafeRawBufferPointer, _ limit: Int) throws(DamagedBytes) -> [UInt8] {
    var reader = ByteReader(bytes)
    let size = try reader.count()
    guard size <= limit else { throw reader.damage }
    var unpacker = JSONUnpacker(reader)
    // A damaged size must not reserve more memory than a usual text needs.
    unpacker.output.reserveCapacity(min(size, 1 << 20))
    try unpacker.read(size)
    guard unpacker.reader.isAtEnd, unpacker.output.count == size else { throw unpacker.reader.damage }
    return unpacker.output
  }

  private init(_ reader: ByteReader) { self.reader = reader }

  private mutating func read(_ size: Int) throws(DamagedBytes) {
    var open: [Container] = []
    repeat {
      // A byte may stand for a long text, so that the stated size must bound the output.
      guard output.count <= size else { throw reader.damage }
      if let last = open.popLast() {
        guard let rest = try next(in: last) else { continue }
        open.append(rest)
      }
      if let container = try readValue() {
        guard open.count < JSONParser.mostLevels else { throw reader.damage }
        open.append(container)
      }
    } while !open.isEmpty
  }

  /// Writes what precedes the next value in a container, or the container's end and returns nil.
  private mutating func next(in container: Container) throws(DamagedBytes) -> Container? {
    switch container {
    case .array(let isEmpty):
      guard let next = reader.unread.first else { throw reader.damage }
      if next == PackedJSON.Token.end {
        try reader.skip(1)
        output.append(UInt8(ascii: "]"))
        return nil
      }
      if !isEmpty { output.append(UInt8(ascii: ",")) }
      return .array(isEmpty: false)
    case .object(let members, let isEmpty):
      guard let first = members.first else {
        output.append(UInt8(ascii: "}"))
        return nil
      }
      if !isEmpty { output.append(UInt8(ascii: ",")) }
      append(keys[first])
      output.append(UInt8(ascii: ":"))
      return .object(members.dropFirst(), isEmpty: false)
    }
  }

  /// Reads a scalar, or the beginning of a container.
  private mutating func readValue() throws(DamagedBytes) -> Container? {
    typealias Token = PackedJSON.Token
    let token = try reader.byte()
    switch token {
    case Token.object:
      let shape = try reader.count()
      guard shape < shapes.count else { throw reader.damage }
      output.append(UInt8(ascii: "{"))
      return .object(shapes[shape], isEmpty: true)
    case Token.newObject:
      output.append(UInt8(ascii: "{"))
      return .object(try readKeys(), isEmpty: true)
    case Token.array:
      output.append(UInt8(ascii: "["))
      return .array(isEmpty: true)
    case Token.null: output += "null".utf8
    case Token.no: output += "false".utf8
    case Token.yes: output += "true".utf8
    case Token.unsigned: output += String(try reader.varint()).utf8
    case Token.negative:
      output.append(UInt8(ascii: "-"))
      output += String(try reader.varint()).utf8
    case Token.double:
      let number = try reader.double()
      guard number.isFinite else { throw reader.damage }
      output += String(number).utf8
    case Token.text: try readText(try reader.count())
    case Token.repeated: try appendText(try reader.varint().saturatingAdd(UInt64(Token.nearTexts)))
    case Token.address, Token.longAddress:
      let digits = String(try reader.varint(), radix: 16)
      let zeros = token == Token.longAddress ? JSONPacker.addressDigits - digits.utf8.count : 0
      output += "\"0x".utf8
      output += repeatElement(UInt8(ascii: "0"), count: zeros)
      output += digits.utf8
      output.append(UInt8(ascii: "\""))
    case Token.short..<Token.small: try readText(Int(token - Token.short))
    case Token.small..<Token.near: output += String(token - Token.small).utf8
    case Token.near...: try appendText(UInt64(token - Token.near))
    default: throw reader.damage
    }
    return nil
  }

  private mutating func readKeys() throws(DamagedBytes) -> Range<Int> {
    let first = keys.count
    for _ in 0..<(try reader.count()) { keys.append(try reader.slice()) }
    shapes.append(first..<keys.count)
    return first..<keys.count
  }

  private mutating func readText(_ count: Int) throws(DamagedBytes) {
    let text = try reader.slice(of: count)
    if count >= PackedJSON.shortestNumbered { texts.append(text) }
    append(text)
  }

  private mutating func appendText(_ number: UInt64) throws(DamagedBytes) {
    guard number < UInt64(texts.count) else { throw reader.damage }
    append(texts[Int(number)])
  }

  private mutating func append(_ text: UnsafeRawBufferPointer) {
    JSONEscape.append(text.assumingMemoryBound(to: UInt8.self), to: &output, shortLineEnds: true)
  }
}
