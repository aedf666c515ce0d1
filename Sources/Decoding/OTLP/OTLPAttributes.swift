internal import JSON
internal import OTLPMessages

/// Lookups in a list of attributes, which a hostile client may have made long: each is one walk.
extension [OTLPKeyValue] {
  /// The value of the first attribute called one of `names`, in their order; nil when none is there.
  func value(_ names: [String]) -> OTLPAnyValue? {
    for name in names {
      for attribute in self where attribute.key == name { return attribute.value }
    }
    return nil
  }

  /// The first of these attributes that holds a text or number and is not empty, cut to what is kept.
  func text(_ names: String...) -> String? { text(names) }

  func text(_ names: [String]) -> String? {
    for name in names {
      for attribute in self where attribute.key == name {
        if let text = attribute.value.plainText, !text.isEmpty { return text.kept }
      }
    }
    return nil
  }

  /// The first of these attributes as it came; nil for other types than a text.
  func fullText(_ names: String...) -> String? {
    guard case .stringValue(let text)? = value(names)?.value, !text.isEmpty else { return nil }
    return text
  }

  /// A text that is only compared and hashed.
  func id(_ name: String) -> String? { fullText(name)?.id }

  /// A number, also one that is written as a text.
  func number(_ names: String...) -> Double? {
    switch value(names)?.value {
    case .intValue(let number): Double(number)
    case .doubleValue(let number): number
    case .stringValue(let text): Double(text)
    default: nil
    }
  }

  /// A whole number, also one that is written as a text.
  func integer(_ names: String...) -> Int64? {
    switch value(names)?.value {
    case .intValue(let number): number
    case .doubleValue(let number): Int64(exactly: number)
    case .stringValue(let text): Int64(text)
    default: nil
    }
  }

  /// Keys and values as JSON in the order of keys, so that the order they were sent in means nothing. Each value is written
  /// once, before they are compared.
  var ordered: [OTLPAttribute] {
    if isEmpty { return [] }
    return map { OTLPAttribute(key: $0.key, value: $0.value, json: $0.value.json) }
      .sorted { $0.key == $1.key ? $0.json < $1.json : $0.key < $1.key }
  }
}

/// An attribute with its value as JSON.
struct OTLPAttribute {
  let key: String
  let value: OTLPAnyValue
  let json: String
}

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
      for (index, element) in list.values.enumerated().reversed() {
        steps.append(.value(element))
        if index > 0 { steps.append(.text(",")) }
      }
    case .kvlistValue(let list):
      text += "{"
      steps.append(.text("}"))
      for (index, member) in list.values.sorted(by: { $0.key < $1.key }).enumerated().reversed() {
        steps.append(.value(member.value))
        steps.append(.text((index > 0 ? "," : "") + OTLPJSON.quoted(member.key) + ":"))
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
