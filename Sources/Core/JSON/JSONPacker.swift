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
    let end = value.end
    var at = value
    var outer: [Container] = []
    outer.reserveCapacity(64)
    // An array of the value alone, which never closes.
    var container = Container(close: -1, next: -1, place: place, hash: ContainerHash(isObject: false))
    var found: UInt64 = 0
    while at.index < end {
      if at.index == container.close {
        if container.next < 0 { output.byte(PackedJSON.Token.end) }
        if isHashed { found = container.hash.value }
        container = outer.removeLast()
        if isHashed { container.hash.add(found) }
        at = at.sibling(at: at.index &+ 1)
        continue
      }
      var place = container.place
      if container.next >= 0 {
        let member = shapes.members[container.next]
        container.next &+= 1
        container.hash.key = member.hash
        at = at.sibling(at: at.index &+ 1)
        guard member.isSelected else {
          if isHashed { container.hash.add(at.valueHash()) }
          at = at.sibling(at: at.end)
          continue
        }
        place = member.place
      } else if container.close >= 0 {
        textSize &+= 1
      }
      switch at.tag {
      case JSONValue.Tag.object:
        let first = begin(at, place, after: outer.isEmpty ? added : [])
        outer.append(container)
        container = Container(close: at.end &- 1, next: first, place: place, hash: ContainerHash(isObject: true))
        at = at.sibling(at: at.index &+ 1)
      case JSONValue.Tag.array:
        output.byte(PackedJSON.Token.array)
        // Two brackets, and a comma after each element but the last.
        textSize &+= at.end == at.index &+ 2 ? 2 : 1
        outer.append(container)
        container = Container(close: at.end &- 1, next: -1, place: place, hash: ContainerHash(isObject: false))
        at = at.sibling(at: at.index &+ 1)
      default:
        found = append(scalar: at)
        if isHashed { container.hash.add(found) }
        at = at.sibling(at: at.end)
      }
    }
    return found
  }

  /// Writes the keys of an object's selected members, or the number of an earlier object with the same, and the values
  /// of the `added` members before them. Returns the index of its first own member.
  private mutating func begin(
    _ object: JSONValue, _ place: UInt8, after added: [(key: StaticString, value: JSONValue?)]
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
  private mutating func append(scalar value: JSONValue) -> UInt64 {
    typealias Token = PackedJSON.Token
    switch value.tag {
    case JSONValue.Tag.string: return append(text: value.textUnchecked)
    case JSONValue.Tag.signed:
      let number = Int64(bitPattern: value.tape[value.index + 1])
      if number >= 0 {
        append(number: number.magnitude)
      } else {
        output.byte(Token.negative)
        output.varint(number.magnitude)
        textSize += 1 + Self.digits(number.magnitude)
      }
    case JSONValue.Tag.unsigned: append(number: value.tape[value.index + 1])
    case JSONValue.Tag.double:
      let number = Double(bitPattern: value.tape[value.index + 1])
      output.byte(Token.double)
      output.double(number)
      textSize += String(number).utf8.count
    case JSONValue.Tag.yes: append(Token.yes, size: 4)
    case JSONValue.Tag.no: append(Token.no, size: 5)
    default: append(Token.null, size: 4)
    }
    return isHashed ? value.scalarHash : 0
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
