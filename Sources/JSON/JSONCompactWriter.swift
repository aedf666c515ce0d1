/// Writes values of a parsed document as JSON without white space. Numbers keep their values: 64-bit integers digit by
/// digit, others as the shortest text that reads back as the same double. It walks the tape iteratively, so that deep
/// nesting needs no stack.
public struct JSONCompactWriter {
  /// The JSON written so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []
  private let leavesOut: (BorrowedJSONString, JSONValue) -> Bool

  /// Creates a writer that skips every member for which `leavesOut` returns true, at any depth.
  public init(leavingOut leavesOut: @escaping (BorrowedJSONString, JSONValue) -> Bool = { _, _ in false }) {
    self.leavesOut = leavesOut
  }

  /// Writes a JSON value with all its members or elements.
  public mutating func append(_ value: JSONValue) {
    var open: [Container] = []
    var at = value
    let end = value.end
    while at.index < end {
      if let container = open.last {
        if at.index == container.close {
          bytes.append(UInt8(ascii: container.isObject ? "}" : "]"))
          open.removeLast()
          at = at.sibling(at: at.index + 1)
          continue
        }
        if container.isObject {
          let member = at.sibling(at: at.index + 1)
          if leavesOut(at.textUnchecked, member) {
            at = at.sibling(at: member.end)
            continue
          }
        }
        separate(from: container)
        open[open.count - 1].isEmpty = false
        if container.isObject {
          append(at.textUnchecked)
          bytes.append(UInt8(ascii: ":"))
          at = at.sibling(at: at.index + 1)
        }
      }
      at = step(into: at, &open)
    }
  }

  /// Writes one object: the `members` that are not nil, then the members of `object`.
  public mutating func append(_ members: [(key: StaticString, value: JSONValue?)], then object: JSONObject) {
    bytes.append(UInt8(ascii: "{"))
    var container = Container(isObject: true, close: 0)
    for (key, value) in members {
      guard let value else { continue }
      separate(from: container)
      container.isEmpty = false
      append(BorrowedJSONString(base: key.utf8Start, count: key.utf8CodeUnitCount))
      bytes.append(UInt8(ascii: ":"))
      append(value)
    }
    for (key, value) in object where !leavesOut(key, value) {
      separate(from: container)
      container.isEmpty = false
      append(key)
      bytes.append(UInt8(ascii: ":"))
      append(value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private struct Container {
    let isObject: Bool
    /// The index of the container's closing word on simdjson's tape.
    let close: Int
    var isEmpty = true
  }

  private mutating func separate(from container: Container) {
    if !container.isEmpty { bytes.append(UInt8(ascii: ",")) }
  }

  /// Opens a container or writes a scalar, and returns the value that comes next.
  private mutating func step(into value: JSONValue, _ open: inout [Container]) -> JSONValue {
    let isObject = value.tag == JSONValue.Tag.object
    guard isObject || value.tag == JSONValue.Tag.array else {
      append(scalar: value)
      return value.sibling(at: value.end)
    }
    bytes.append(UInt8(ascii: isObject ? "{" : "["))
    open.append(Container(isObject: isObject, close: value.end - 1))
    return value.sibling(at: value.index + 1)
  }

  private mutating func append(scalar value: JSONValue) {
    switch value.tag {
    case JSONValue.Tag.string: append(value.textUnchecked)
    case JSONValue.Tag.signed: bytes += String(Int64(bitPattern: value.tape[value.index + 1])).utf8
    case JSONValue.Tag.unsigned: bytes += String(value.tape[value.index + 1]).utf8
    case JSONValue.Tag.double: bytes += String(Double(bitPattern: value.tape[value.index + 1])).utf8
    case JSONValue.Tag.yes: bytes += "true".utf8
    case JSONValue.Tag.no: bytes += "false".utf8
    default: bytes += "null".utf8
    }
  }

  private mutating func append(_ text: BorrowedJSONString) {
    JSONEscape.append(text.bytes, to: &bytes, shortLineEnds: true)
  }
}
