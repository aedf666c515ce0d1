/// A writer of parsed values as JSON without white space. Numbers keep their values: 64-bit integers are exact, other
/// numbers are written as the shortest text that parses to the same double. It walks the tape iteratively, so that deep
/// nesting needs no stack.
public struct JSONFilteringWriter: ~Copyable {
  /// Decides about a member of an object at `place`: the place of the member's content; nil leaves the member out. What
  /// a place means is up to the caller. The outermost value has place 0, and elements have the place of their array.
  public typealias Selection = (_ key: BorrowedJSONString, _ value: JSONValue, _ place: UInt8) -> UInt8?

  private var buffer = JSONOutputBuffer(reserving: 16_384)
  private let shortLineEnds: Bool
  private let select: Selection

  /// Creates a writer of selected members. With `shortLineEnds`, a line feed in a text is written as `\n`, not `\u000a`.
  public init(shortLineEnds: Bool = true, _ select: @escaping Selection = { _, _, place in place }) {
    self.shortLineEnds = shortLineEnds
    self.select = select
  }

  /// The JSON written so far, as UTF-8.
  public var bytes: [UInt8] { buffer.bytes }

  /// Writes a JSON value with its selected members or its elements.
  public mutating func append(_ value: JSONValue, at place: UInt8 = 0) {
    let end = value.end
    var at = value
    var outer: [Container] = []
    // The outermost container, which never closes.
    var container = Container(isObject: false, close: -1, place: place)
    while at.index < end {
      if at.index == container.close {
        buffer.byte(UInt8(ascii: container.isObject ? "}" : "]"))
        container = outer.removeLast()
        at = at.sibling(at: at.index + 1)
        continue
      }
      var place = container.place
      if container.isObject {
        let member = at.sibling(at: at.index + 1)
        guard let selected = select(at.textUnchecked, member, place) else {
          at = at.sibling(at: member.end)
          continue
        }
        place = selected
        begin(at.textUnchecked, in: &container)
        at = member
      } else {
        separate(in: &container)
      }
      let isObject = at.tag == JSONValue.Tag.object
      if isObject || at.tag == JSONValue.Tag.array {
        buffer.byte(UInt8(ascii: isObject ? "{" : "["))
        outer.append(container)
        container = Container(isObject: isObject, close: at.end - 1, place: place)
        at = at.sibling(at: at.index + 1)
      } else {
        append(scalar: at)
        at = at.sibling(at: at.end)
      }
    }
  }

  /// Writes one object: the `members` that are not nil, then the selected members of `object`.
  public mutating func append(_ members: [(key: StaticString, value: JSONValue?)], then object: JSONObject) {
    buffer.byte(UInt8(ascii: "{"))
    var container = Container(isObject: true, close: 0, place: 0)
    for (key, value) in members {
      guard let value else { continue }
      begin(BorrowedJSONString(base: key.utf8Start, count: key.utf8CodeUnitCount), in: &container)
      append(value)
    }
    for (key, value) in object {
      guard let place = select(key, value, 0) else { continue }
      begin(key, in: &container)
      append(value, at: place)
    }
    buffer.byte(UInt8(ascii: "}"))
  }

  private struct Container {
    let isObject: Bool
    /// The index of the container's closing word on simdjson's tape.
    let close: Int
    let place: UInt8
    var isEmpty = true
  }

  private mutating func separate(in container: inout Container) {
    if !container.isEmpty { buffer.byte(UInt8(ascii: ",")) }
    container.isEmpty = false
  }

  private mutating func begin(_ key: BorrowedJSONString, in container: inout Container) {
    separate(in: &container)
    buffer.text(key.bytes, shortLineEnds: shortLineEnds)
    buffer.byte(UInt8(ascii: ":"))
  }

  private mutating func append(scalar value: JSONValue) {
    switch value.tag {
    case JSONValue.Tag.string: buffer.text(value.textUnchecked.bytes, shortLineEnds: shortLineEnds)
    case JSONValue.Tag.signed: buffer.integer(Int64(bitPattern: value.tape[value.index + 1]))
    case JSONValue.Tag.unsigned: buffer.integer(value.tape[value.index + 1])
    case JSONValue.Tag.double: buffer.literal(String(Double(bitPattern: value.tape[value.index + 1])))
    case JSONValue.Tag.yes: buffer.literal("true")
    case JSONValue.Tag.no: buffer.literal("false")
    default: buffer.literal("null")
    }
  }
}
