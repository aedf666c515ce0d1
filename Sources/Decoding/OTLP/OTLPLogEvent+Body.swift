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
    var members = ["\"timeUnixNano\":\"\(record.timeUnixNano)\"", "\"severityNumber\":\(record.severityNumber)"]
    if !name.isEmpty { members.append("\"eventName\":\(OTLPJSON.quoted(name))") }
    if keepingText, record.hasBody { members.append("\"body\":\(record.body.json)") }
    let kept = record.attributes.ordered.filter { keepingText || !Self.holdsText($0) }
    let attributes = kept.map { "\(OTLPJSON.quoted($0.key)):\($0.json)" }
    members.append("\"attributes\":{\(attributes.joined(separator: ","))}")
    return "{\(members.joined(separator: ","))}"
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
