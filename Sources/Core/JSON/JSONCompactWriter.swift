/// A writer of parsed values as JSON without white space. Numbers keep their values: 64-bit integers are exact, other
/// numbers are written as the shortest text that parses to the same double. It walks the tape iteratively, so that deep
/// nesting needs no stack.
public struct JSONCompactWriter: ~Copyable {
  private var buffer = JSONOutputBuffer(reserving: 4096)
  private let leavesOut: (BorrowedJSONString, JSONValue) -> Bool

  /// Creates a writer that skips every member for which `leavesOut` returns true, at any depth.
  public init(leavingOut leavesOut: @escaping (BorrowedJSONString, JSONValue) -> Bool = { _, _ in false }) {
    self.leavesOut = leavesOut
  }

  /// The JSON written so far, as UTF-8.
  public var bytes: [UInt8] { buffer.bytes }

  /// Writes a JSON value with all its members or elements.
  public mutating func append(_ value: JSONValue) {
    let end = value.end
    var at = value
    var outer: [Container] = []
    // The outermost container, which never closes.
    var container = Container(isObject: false, close: -1)
    while at.index < end {
      if at.index == container.close {
        buffer.byte(UInt8(ascii: container.isObject ? "}" : "]"))
        container = outer.removeLast()
        at = at.sibling(at: at.index + 1)
        continue
      }
      if container.isObject {
        let member = at.sibling(at: at.index + 1)
        if leavesOut(at.textUnchecked, member) {
          at = at.sibling(at: member.end)
          continue
        }
        begin(at.textUnchecked, in: &container)
        at = member
      } else {
        separate(in: &container)
      }
      let isObject = at.tag == JSONValue.Tag.object
      if isObject || at.tag == JSONValue.Tag.array {
        buffer.byte(UInt8(ascii: isObject ? "{" : "["))
        outer.append(container)
        container = Container(isObject: isObject, close: at.end - 1)
        at = at.sibling(at: at.index + 1)
      } else {
        append(scalar: at)
        at = at.sibling(at: at.end)
      }
    }
  }

  /// Writes one object: the `members` that are not nil, then the members of `object`.
  public mutating func append(_ members: [(key: StaticString, value: JSONValue?)], then object: JSONObject) {
    buffer.byte(UInt8(ascii: "{"))
    var container = Container(isObject: true, close: 0)
    for (key, value) in members {
      guard let value else { continue }
      begin(BorrowedJSONString(base: key.utf8Start, count: key.utf8CodeUnitCount), in: &container)
      append(value)
    }
    for (key, value) in object where !leavesOut(key, value) {
      begin(key, in: &container)
      append(value)
    }
    buffer.byte(UInt8(ascii: "}"))
  }

  private struct Container {
    let isObject: Bool
    /// The index of the container's closing word on simdjson's tape.
    let close: Int
    var isEmpty = true
  }

  private mutating func separate(in container: inout Container) {
    if !container.isEmpty { buffer.byte(UInt8(ascii: ",")) }
    container.isEmpty = false
  }

  private mutating func begin(_ key: BorrowedJSONString, in container: inout Container) {
    separate(in: &container)
    buffer.text(key.bytes, shortLineEnds: true)
    buffer.byte(UInt8(ascii: ":"))
  }

  private mutating func append(scalar value: JSONValue) {
    switch value.tag {
    case JSONValue.Tag.string: buffer.text(value.textUnchecked.bytes, shortLineEnds: true)
    case JSONValue.Tag.signed: buffer.integer(Int64(bitPattern: value.tape[value.index + 1]))
    case JSONValue.Tag.unsigned: buffer.integer(value.tape[value.index + 1])
    case JSONValue.Tag.double: buffer.literal(String(Double(bitPattern: value.tape[value.index + 1])))
    case JSONValue.Tag.yes: buffer.literal("true")
    case JSONValue.Tag.no: buffer.literal("false")
    default: buffer.literal("null")
    }
  }
}
