/// Writes parsed values as `PackedJSON`, and computes their content hash in the same walk over the tape. It walks
/// iteratively, so that deep nesting needs no stack.
struct JSONPacker: ~Copyable {
  private var output = ByteWriter(reserving: 8192)
  private var texts = TextTable<Known>()
  /// The number of texts that have a number.
  private var numbered = 0
  private var shapes = ObjectShapes()
  /// The size of the values as text, in bytes.
  private var textSize = 0
  private let isHashed: Bool
  private let select: PackedJSON.Selection

  /// A text that was written.
  private struct Known {
    let number: Int32
    /// Its size in a text of JSON, with quotes and escapes.
    let size: Int32
    let hash: UInt64
  }

  /// `isHashed`: whether to compute hashes, also of members that are left out.
  init(isHashed: Bool, _ select: @escaping PackedJSON.Selection) {
    self.isHashed = isHashed
    self.select = select
    output.byte(PackedJSON.mark)
  }

  /// The bytes, with the size of the text after the mark.
  consuming func finished() -> [UInt8] {
    output.insert(count: textSize, at: 1, over: 0)
    return output.bytes
  }

  /// An object or array whose contents are being written.
  private struct Container {
    /// The index of its closing word on simdjson's tape.
    let close: Int
    /// Of an object: the index of the next member in `ObjectShapes.members`; of an array −1.
    var next: Int
    let place: UInt8
    var hash: ContainerHash
  }

  /// Writes a value with its selected members or its elements. `added`, which are no containers, precede those of the
  /// outermost object. Returns the hash of the value as in `valueHash()`; 0 without hashes.
  mutating func append(
    _ value: JSONValue, at place: UInt8, after added: [(key: StaticString, value: JSONValue?)]
  ) -> UInt64 {
    guard value.tag == JSONValue.Tag.object || value.tag == JSONValue.Tag.array else { return append(scalar: value) }
    var outer: [Container] = []
    outer.reserveCapacity(64)
    var container = begin(value, place, after: added)
    var at = value.sibling(at: value.index &+ 1)
    while true {
      if let inner = container.next < 0 ? appendElements(from: &at, &container) : appendMembers(from: &at, &container) {
        outer.append(container)
        container = inner
        continue
      }
      if container.next < 0 { output.byte(PackedJSON.Token.end) }
      let found = isHashed ? container.hash.value : 0
      guard let last = outer.popLast() else { return found }
      container = last
      if isHashed { container.hash.add(found) }
      at = at.sibling(at: at.index &+ 1)
    }
  }

  /// Writes an object's members up to the end or to the beginning of the next container, which it returns.
  @inline(__always)
  private mutating func appendMembers(from at: inout JSONValue, _ container: inout Container) -> Container? {
    while at.index < container.close {
      let member = shapes.members[container.next]
      container.next &+= 1
      container.hash.key = member.hash
      at = at.sibling(at: at.index &+ 1)
      if !member.isSelected {
        if isHashed { container.hash.add(at.valueHash()) }
        at = at.sibling(at: at.end)
      } else if at.tag == JSONValue.Tag.object || at.tag == JSONValue.Tag.array {
        defer { at = at.sibling(at: at.index &+ 1) }
        return begin(at, member.place, after: [])
      } else {
        let hash = append(scalar: at)
        if isHashed { container.hash.add(hash) }
        at = at.sibling(at: at.end)
      }
    }
    return nil
  }

  /// Writes an array's elements up to the end or to the beginning of the next container, which it returns.
  @inline(__always)
  private mutating func appendElements(from at: inout JSONValue, _ container: inout Container) -> Container? {
    while at.index < container.close {
      textSize &+= 1
      if at.tag == JSONValue.Tag.object || at.tag == JSONValue.Tag.array {
        defer { at = at.sibling(at: at.index &+ 1) }
        return begin(at, container.place, after: [])
      }
      let hash = append(scalar: at)
      if isHashed { container.hash.add(hash) }
      at = at.sibling(at: at.end)
    }
    return nil
  }

  /// Writes the beginning of an object or array.
  @inline(__always)
  private mutating func begin(
    _ value: JSONValue, _ place: UInt8, after added: [(key: StaticString, value: JSONValue?)]
  ) -> Container {
    let isObject = value.tag == JSONValue.Tag.object
    var next = -1
    if isObject {
      next = begin(object: value, place, after: added)
    } else {
      output.byte(PackedJSON.Token.array)
      // Two brackets, and a comma after each element but the last.
      textSize &+= value.end == value.index &+ 2 ? 2 : 1
    }
    return Container(close: value.end &- 1, next: next, place: place, hash: ContainerHash(isObject: isObject))
  }

  /// Writes the keys of an object's selected members, or the number of an earlier object with the same, and the values
  /// of the `added` members before them. Returns the index of its first own member.
  private mutating func begin(
    object: JSONValue, _ place: UInt8, after added: [(key: StaticString, value: JSONValue?)]
  ) -> Int {
    if added.isEmpty, let shape = shapes.find(object, at: place) {
      output.byte(PackedJSON.Token.object)
      output.count(shape.number)
      textSize &+= shape.textSize
      return shape.first
    }
    let shape = shapes.add(object, at: place, after: added, isHashed: isHashed, select)
    output.byte(PackedJSON.Token.newObject)
    output.count(shape.written)
    for (key, value) in added where value != nil {
      output.blob(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    }
    for member in shapes.members[shape.first...] where member.isSelected {
      output.blob(UnsafeRawBufferPointer(member.key.bytes))
    }
    textSize &+= shape.textSize
    for (_, value) in added { if let value { _ = append(scalar: value) } }
    return shape.first
  }

  private mutating func append(text: BorrowedJSONString) -> UInt64 {
    if let address = Self.address(text) {
      output.byte(address.isLong ? PackedJSON.Token.longAddress : PackedJSON.Token.address)
      output.varint(address.value)
      textSize += text.count + 2
      return isHashed ? text.hash : 0
    }
    let (slot, known) = texts.find(text)
    if let known {
      let number = Int(known.number)
      if number < PackedJSON.Token.nearTexts {
        output.byte(PackedJSON.Token.near + UInt8(number))
      } else {
        output.byte(PackedJSON.Token.repeated)
        output.count(number - PackedJSON.Token.nearTexts)
      }
      textSize += Int(known.size)
      return known.hash
    }
    if text.count < PackedJSON.Token.shortTexts {
      output.byte(PackedJSON.Token.short + UInt8(text.count))
    } else {
      output.byte(PackedJSON.Token.text)
      output.count(text.count)
    }
    output.raw(UnsafeRawBufferPointer(text.bytes))
    let size = JSONEscape.size(of: text.bytes)
    textSize += size
    let hash = isHashed ? text.hash : 0
    if text.count >= PackedJSON.shortestNumbered {
      // A document is far smaller than 2 GB, so that both fit.
      texts.set(slot, text, Known(number: Int32(clamping: numbered), size: Int32(clamping: size), hash: hash))
      numbered += 1
    }
    return hash
  }

  static let addressDigits = 16

  /// The number that a text states as `0x` and hexadecimal digits, sixteen or without a zero before them.
  @inline(__always)
  private static func address(_ text: BorrowedJSONString) -> (value: UInt64, isLong: Bool)? {
    guard text.count >= 3, text.base[0] == UInt8(ascii: "0"), text.base[1] == UInt8(ascii: "x"),
      text.count <= 2 + addressDigits
    else { return nil }
    let isLong = text.count == 2 + addressDigits
    guard isLong || text.base[2] != UInt8(ascii: "0") else { return nil }
    var value: UInt64 = 0
    var index = 2
    while index < text.count {
      let byte = text.base[index]
      let decimal = byte &- UInt8(ascii: "0")
      let letter = byte &- UInt8(ascii: "a")
      guard decimal < 10 || letter < 6 else { return nil }
      value = value &<< 4 | UInt64(decimal < 10 ? decimal : letter &+ 10)
      index &+= 1
    }
    return (value, isLong)
  }

  /// Writes a value that is no container. Returns its hash; 0 without hashes.
  @inline(__always)
  private mutating func append(scalar value: JSONValue) -> UInt64 {
    typealias Token = PackedJSON.Token
    switch value.tag {
    case JSONValue.Tag.string: return append(text: value.textUnchecked)
    case JSONValue.Tag.signed: append(signed: Int64(bitPattern: value.tape[value.index &+ 1]))
    case JSONValue.Tag.unsigned: append(number: value.tape[value.index &+ 1])
    case JSONValue.Tag.double:
      let number = Double(bitPattern: value.tape[value.index &+ 1])
      output.byte(Token.double)
      output.double(number)
      textSize += String(number).utf8.count
    case JSONValue.Tag.yes: append(Token.yes, size: 4)
    case JSONValue.Tag.no: append(Token.no, size: 5)
    default: append(Token.null, size: 4)
    }
    return isHashed ? value.scalarHash : 0
  }

  private mutating func append(signed number: Int64) {
    guard number < 0 else { return append(number: number.magnitude) }
    output.byte(PackedJSON.Token.negative)
    output.varint(number.magnitude)
    textSize += 1 + Self.digits(number.magnitude)
  }

  private mutating func append(_ token: UInt8, size: Int) {
    output.byte(token)
    textSize += size
  }

  private mutating func append(number: UInt64) {
    if number < PackedJSON.Token.smallNumbers {
      output.byte(PackedJSON.Token.small + UInt8(number))
    } else {
      output.byte(PackedJSON.Token.unsigned)
      output.varint(number)
    }
    textSize += Self.digits(number)
  }

  /// The number of decimal digits.
  private static func digits(_ number: UInt64) -> Int {
    var (rest, count) = (number, 1)
    while rest >= 10_000 {
      rest /= 10_000
      count += 4
    }
    return count + (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }
}
