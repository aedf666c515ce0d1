internal import JSON
internal import OTLPMessages

extension OTLPAnyValue {
  /// A text as it is, a number or truth value as JSON writes it; nil for lists and nothing.
  var plainText: String? {
    switch value {
    case .stringValue(let text): text
    case .boolValue, .intValue, .doubleValue: json
    case .arrayValue, .kvlistValue, nil: nil
    }
  }

  /// The value as compact JSON, members of a list of keys in the order of their keys. Values nest as a client likes, so this
  /// walks with a stack of its own.
  var json: String {
    var text = ""
    var steps: [Step] = [.value(self)]
    while let step = steps.popLast() {
      switch step {
      case .text(let literal): text += literal
      case .value(let value): value.write(into: &text, &steps)
      }
    }
    return text
  }

  private enum Step {
    case text(String)
    case value(OTLPAnyValue)
  }

  /// Writes a plain value; of a list, queues the parts, the last one first.
  private func write(into text: inout String, _ steps: inout [Step]) {
    switch value {
    case nil: text += "null"
    case .stringValue(let string): text += OTLPJSON.quoted(string)
    case .boolValue(let flag): text += flag ? "true" : "false"
    case .intValue(let number): text += String(number)
    case .doubleValue(let number): text += number.isFinite ? "\(number)" : "\"\(number)\""
    case .arrayValue(let list):
      text += "["
      steps.append(.text("]"))
      for (place, element) in list.values.enumerated().reversed() {
        steps.append(.value(element))
        if place > 0 { steps.append(.text(",")) }
      }
    case .kvlistValue(let list):
      text += "{"
      steps.append(.text("}"))
      for (place, member) in list.values.sorted(by: { $0.key < $1.key }).enumerated().reversed() {
        steps.append(.value(member.value))
        steps.append(.text((place > 0 ? "," : "") + OTLPJSON.quoted(member.key) + ":"))
      }
    }
  }
}

/// JSON texts that are kept beside a diagnostic.
enum OTLPJSON {
  /// Quotes and escapes what JSON does not allow inside a text.
  static func quoted(_ text: String) -> String {
    var (text, bytes) = (text, [UInt8]())
    bytes.reserveCapacity(text.utf8.count + 2)
    text.withUTF8 { JSONEscape.append($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
