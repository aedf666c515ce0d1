internal import JSON

/// The part of an event that is kept for people to look at, as compact JSON: what is known to be no free text.
struct SentryEventBody {
  private var bytes: [UInt8] = []
  private var open: [Container] = []

  /// A container whose members are being written.
  private struct Container {
    enum Rest {
      case members(JSONObject.Iterator)
      case elements(JSONArray.Iterator)
    }
    var rest: Rest
    let place: SentryBodyPlace
    var isFirst = true
  }

  /// Without `keepsText`, messages and the texts of exceptions are left out too.
  static func write(_ event: JSONObject, keepsText: Bool) -> [UInt8] {
    var writer = SentryEventBody()
    writer.begin(event.value, at: .event)
    // Not recursive: clients decide how deep it goes.
    while !writer.open.isEmpty { writer.step(keepsText) }
    return writer.bytes
  }

  /// Writes the next member or element of the innermost container, or its end.
  private mutating func step(_ keepsText: Bool) {
    guard var container = open.popLast() else { return }
    var key: JSONText?
    var value: JSONValue?
    switch container.rest {
    case .members(var rest):
      if let next = rest.next() { (key, value) = (next.key, next.value) }
      container.rest = .members(rest)
    case .elements(var rest):
      value = rest.next()
      container.rest = .elements(rest)
    }
    guard let value else { return end(container) }
    guard let place = key.map({ container.place.place(of: $0, keepsText: keepsText) }) ?? container.place else {
      return open.append(container)
    }
    if !container.isFirst { bytes.append(UInt8(ascii: ",")) }
    container.isFirst = false
    open.append(container)
    if let key {
      write(key)
      bytes.append(UInt8(ascii: ":"))
    }
    begin(value, at: place)
  }

  private mutating func end(_ container: Container) {
    if case .members = container.rest { bytes.append(UInt8(ascii: "}")) } else { bytes.append(UInt8(ascii: "]")) }
  }

  private mutating func begin(_ value: JSONValue, at place: SentryBodyPlace) {
    switch value.kind {
    case .object:
      guard let object = value.objectOrNil else { return null() }
      bytes.append(UInt8(ascii: "{"))
      open.append(Container(rest: .members(object.makeIterator()), place: place))
    case .array:
      guard let array = value.arrayOrNil else { return null() }
      bytes.append(UInt8(ascii: "["))
      open.append(Container(rest: .elements(array.makeIterator()), place: place))
    case .string: if let text = value.textOrNil { write(text) } else { null() }
    case .integer:
      append((value.integerOrNil).map { String($0) } ?? (value.unsignedIntegerOrNil).map { String($0) })
    case .double: append((value.numberOrNil).map { "\($0)" })
    case .boolean: append((value.booleanOrNil).map { $0 ? "true" : "false" })
    case .null: null()
    }
  }

  private mutating func null() { append("null") }

  private mutating func append(_ text: String?) { bytes += (text ?? "null").utf8 }

  private mutating func write(_ text: JSONText) {
    JSONEscape.append(text.bytes, to: &bytes)
  }
}
