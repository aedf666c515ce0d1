internal import Bytes
internal import OTLPMessages

extension OTLPLogEvent {
  /// The same for a record that was sent again, whatever the order of its attributes.
  var identity: UInt64 {
    var hash = StableHash()
    hash.add(body(keepingText: true))
    for attribute in resource.attributes {
      hash.add(attribute.key)
      hash.add(attribute.json)
    }
    return hash.value
  }

  /// The record as compact JSON. Without `keepingText` what may hold words of a user is left out: the record's own text,
  /// messages of exceptions, and stacks that are no JSON (many languages write the message into them).
  func body(keepingText: Bool) -> String {
    // One text is appended to: attributes can be as large as a request.
    var text = "{\"timeUnixNano\":\"\(record.timeUnixNano)\",\"severityNumber\":\(record.severityNumber)"
    if !name.isEmpty { text += ",\"eventName\":\(OTLPJSON.quoted(name))" }
    if keepingText, record.hasBody {
      text += ",\"body\":"
      text += record.body.json
    }
    let attributes = record.attributes.ordered
    text.reserveCapacity(
      attributes.reduce(text.utf8.count + 16) { $0 + $1.key.utf8.count + $1.json.utf8.count + 4 })
    text += ",\"attributes\":{"
    var separator = ""
    for attribute in attributes where keepingText || !Self.holdsText(attribute) {
      text += separator
      text += OTLPJSON.quoted(attribute.key)
      text += ":"
      text += attribute.json
      separator = ","
    }
    text += "}}"
    return text
  }

  private static func holdsText(_ attribute: OTLPAttribute) -> Bool {
    let key = attribute.key.utf8
    if key.hasSuffix("message") || key.hasSuffix("description") { return true }
    guard key.hasSuffix("stacktrace"), case .stringValue(let stack)? = attribute.value.value else { return false }
    return stack.utf8.first != UInt8(ascii: "{")
  }
}

extension String.UTF8View {
  fileprivate func hasSuffix(_ suffix: StaticString) -> Bool {
    count >= suffix.utf8CodeUnitCount
      && self.suffix(suffix.utf8CodeUnitCount).elementsEqual(
        UnsafeBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount))
  }
}
