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

  /// Writes a value with its selected members or its elements. `members`, which are no containers, precede those of the
  /// outermost object. Returns the hash of the value as in `valueHash()`; 0 without hashes.
  mutating func append(
    _ value: JSONValue, at place: UInt8, after members: [(key: StaticString, value: JSONValue?)]
  ) -> UInt64 {
    let end = value.end
    var at = value
    var outer: [Container] = []
    outer.reserveCapacity(64)
    // The outermost container, which never closes.
    var container = Container(kind: .none, close: -1, place: place)
    var found: UInt64 = 0
    while at.index < end {
      if at.index == container.close {
        if container.kind == .array { output.byte(PackedJSON.Token.end) }
        if isHashed { found = container.hash.value }
        container = outer.removeLast()
        if isHashed { container.hash.add(found) }
        at = at.sibling(at: at.index + 1)
        continue
      }
      var place = container.place
      switch container.kind {
      case .object:
        let member = at.sibling(at: at.index + 1)
        guard let selected = select(at.textUnchecked, member, place) else {
          if isHashed {
            container.hash.key = at.textUnchecked.hash
            container.hash.add(member.valueHash())
          }
          at = at.sibling(at: member.end)
          continue
        }
        if isHashed { container.hash.key = shapes.keys[container.nextKey].hash }
        container.nextKey += 1
        place = selected
        at = member
      case .array:
        if !container.isEmpty { textSize += 1 }
        container.isEmpty = false
      case .none: break
      }
      switch at.tag {
      case JSONValue.Tag.object:
        let firstKey = begin(at, place, after: outer.isEmpty ? members : [])
        outer.append(container)
        container = Container(kind: .object, close: at.end - 1, place: place, nextKey: firstKey)
        at = at.sibling(at: at.index + 1)
      case JSONValue.Tag.array:
        output.byte(PackedJSON.Token.array)
        textSize += 2
        outer.append(container)
        container = Container(kind: .array, close: at.end - 1, place: place)
        at = at.sibling(at: at.index + 1)
      default:
        found = append(scalar: at)
        if isHashed { container.hash.add(found) }
        at = at.sibling(at: at.end)
      }
    }
    return found
  }

  private struct Container {
    enum Kind { case none, object, array }
    let kind: Kind
    /// The index of the container's closing word on simdjson's tape.
    let close: Int
    let place: UInt8
    /// Of an object: the index of the next member's key in `ObjectShapes.keys`.
    var nextKey: Int
    var isEmpty = true
    var hash: ContainerHash

    init(kind: Kind, close: Int, place: UInt8, nextKey: Int = 0) {
      (self.kind, self.close, self.place, self.nextKey) = (kind, close, place, nextKey)
      hash = ContainerHash(isObject: kind == .object)
    }
  }

  /// Writes the keys of an object's selected members, or the number of an earlier object with the same, and the values
  /// of the `members` before them. Returns the index of the first own key.
  private mutating func begin(
    _ object: JSONValue, _ place: UInt8, after members: [(key: StaticString, value: JSONValue?)]
  ) -> Int {
    if members.isEmpty, let shape = shapes.latest, hasKeys(object, place, shape.keys) {
      append(shape)
      return shape.keys.lowerBound
    }
    shapes.current.removeAll(keepingCapacity: true)
    for (key, value) in members where value != nil {
      shapes.current.append(BorrowedJSONString(base: key.utf8Start, count: key.utf8CodeUnitCount))
    }
    let added = shapes.current.count
    let close = object.end - 1
    var key = object.sibling(at: object.index + 1)
    while key.index < close {
      let value = key.sibling(at: key.index + 1)
      if select(key.textUnchecked, value, place) != nil { shapes.current.append(key.textUnchecked) }
      key = key.sibling(at: value.end)
    }
    if shapes.findCurrent(), let shape = shapes.latest {
      append(shape)
    } else {
      let shape = shapes.addCurrent(isHashed: isHashed)
      output.byte(PackedJSON.Token.newObject)
      output.count(shape.keys.count)
      for key in shapes.current { output.blob(UnsafeRawBufferPointer(key.bytes)) }
      textSize += shape.textSize
    }
    for (_, value) in members { if let value { _ = append(scalar: value) } }
    return (shapes.latest?.keys.lowerBound ?? 0) + added
  }

  /// Whether the selected members of an object have exactly these keys, in this order.
  private func hasKeys(_ object: JSONValue, _ place: UInt8, _ range: Range<Int>) -> Bool {
    let close = object.end - 1
    return shapes.keys.withUnsafeBufferPointer { keys in
      var next = range.lowerBound
      var key = object.sibling(at: object.index + 1)
      while key.index < close {
        let (text, value) = (key.textUnchecked, key.sibling(at: key.index + 1))
        if select(text, value, place) != nil {
          guard next < range.upperBound, keys[next].text.count == text.count,
            BorrowedJSONString.areEqual(keys[next].text.base, text.base, text.count)
          else { return false }
          next += 1
        }
        key = key.sibling(at: value.end)
      }
      return next == range.upperBound
    }
  }

  private mutating func append(_ shape: ObjectShapes.Shape) {
    output.byte(PackedJSON.Token.object)
    output.count(shape.number)
    textSize += shape.textSize
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

/// The sequences of keys that objects of a document have. Frames of a stack have equal ones.
private struct ObjectShapes {
  struct Shape {
    let number: Int
    /// The range of its keys in `ObjectShapes.keys`.
    let keys: Range<Int>
    /// The size of the object's text without its values, in bytes.
    let textSize: Int
  }

  /// The keys of an object that is compared with the known ones.
  var current: [BorrowedJSONString] = []
  /// The shape of the preceding object. The next one usually has the same.
  private(set) var latest: Shape?
  /// The keys of all shapes, each with its hash.
  private(set) var keys: [(text: BorrowedJSONString, hash: UInt64)] = []
  private var known: [Shape] = []
  /// The number of the latest shape in each slot; −1 for none.
  private var slots = [Int32](repeating: -1, count: 64)

  /// Whether there is a shape with the current keys. It is then the latest.
  mutating func findCurrent() -> Bool {
    let number = Int(slots[slot])
    guard number >= 0, known[number].keys.count == current.count,
      zip(known[number].keys, current).allSatisfy({ keys[$0].text == $1.bytes })
    else { return false }
    latest = known[number]
    return true
  }

  /// Adds a shape with the current keys.
  mutating func addCurrent(isHashed: Bool) -> Shape {
    let first = keys.count
    // Two brackets, and no comma before the first member.
    var textSize = current.isEmpty ? 2 : 1
    for key in current {
      keys.append((key, isHashed ? key.hash : 0))
      textSize += JSONEscape.size(of: key.bytes) + 2
    }
    let shape = Shape(number: known.count, keys: first..<keys.count, textSize: textSize)
    slots[slot] = Int32(clamping: shape.number)
    known.append(shape)
    latest = shape
    return shape
  }

  private var slot: Int {
    guard let first = current.first, let last = current.last else { return 0 }
    var mark = current.count &+ 8 &* first.count &+ 64 &* last.count
    if let letter = first.bytes.first { mark = mark &* 31 &+ Int(letter) }
    if let letter = last.bytes.first { mark = mark &* 31 &+ Int(letter) }
    return Int(SeededHash.mixed(UInt64(truncatingIfNeeded: mark)) % UInt64(slots.count))
  }
}
