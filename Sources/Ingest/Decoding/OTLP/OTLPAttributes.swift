internal import Core

/// Lookups in a list of attributes. Each is a linear search, because a hostile client may send a long list.
extension [OTLPKeyValue] {
  /// The value of the first attribute in `names` that is present; nil if none is.
  func value(_ names: [String]) -> OTLPAnyValue? {
    for name in names {
      for attribute in self where attribute.key == name { return attribute.value }
    }
    return nil
  }

  /// The first attribute in `names` that is a non-empty text, a number or a boolean, as a cleaned name.
  func text(_ names: String...) -> String? { text(names) }

  func text(_ names: [String]) -> String? {
    for name in names {
      for attribute in self where attribute.key == name {
        if let text = attribute.value.plainText, !text.isEmpty { return text.kept }
      }
    }
    return nil
  }

  /// The first attribute in `names`, unchanged; nil if it is not a text or is empty.
  func fullText(_ names: String...) -> String? {
    guard case .stringValue(let text)? = value(names)?.value, !text.isEmpty else { return nil }
    return text
  }

  /// An attribute with an id. Ids are only compared and hashed.
  func id(_ name: String) -> String? { fullText(name)?.id }

  /// The first attribute in `names` as a number. It may be written as a text.
  func number(_ names: String...) -> Double? {
    switch value(names)?.value {
    case .intValue(let number): Double(number)
    case .doubleValue(let number): number
    case .stringValue(let text): Double(text)
    default: nil
    }
  }

  /// The first attribute in `names` as a whole number. It may be written as a text.
  func integer(_ names: String...) -> Int64? {
    switch value(names)?.value {
    case .intValue(let number): number
    case .doubleValue(let number): Int64(exactly: number)
    case .stringValue(let text): Int64(text)
    default: nil
    }
  }

  /// The attributes sorted by key, with their values as JSON. The result does not depend on the order of sending.
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
  /// A text unchanged, or a number or boolean as JSON; nil for lists and missing values.
  var plainText: String? {
    switch value {
    case .stringValue(let text): text
    case .boolValue, .intValue, .doubleValue: json
    case .arrayValue, .kvlistValue, nil: nil
    }
  }

  /// The value as compact JSON. Members of key-value lists are sorted by key. It is written iteratively, because values
  /// may be nested to any depth.
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

  /// Writes a plain value, or pushes the parts of a list in reverse order.
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

/// JSON strings in the stored body of a log record.
enum OTLPJSON {
  /// The text as a JSON string, quoted and escaped.
  static func quoted(_ text: String) -> String {
    var (text, bytes) = (text, [UInt8]())
    bytes.reserveCapacity(text.utf8.count + 2)
    text.withUTF8 { JSONEscape.append($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Builds the label of a point from its attributes.
enum OTLPLabel {
  /// The label of a point; empty if it has none. For a catalogue metric, it is the attribute that the catalogue names.
  /// For a custom metric, it is all attributes as `k=v, k=v` in the order of keys, cut to `DecodingLimits.textBytes`.
  static func of(_ attributes: [OTLPKeyValue], for metric: MetricMapping) -> String {
    if attributes.isEmpty { return "" }
    if metric.isOwn { return all(attributes) }
    return metric.labelledBy.flatMap { attributes.text(keys($0)) } ?? ""
  }

  private static func all(_ attributes: [OTLPKeyValue]) -> String {
    var label = ""
    for attribute in attributes.ordered where label.utf8.count <= DecodingLimits.textBytes {
      if !label.isEmpty { label += ", " }
      label += "\(attribute.key)=\(attribute.value.plainText ?? attribute.json)"
    }
    return label.kept
  }

  /// The attributes that may contain this kind of label, in order of preference.
  static func keys(_ label: String) -> [String] {
    switch label {
    case "screen": ["screen", "screen.name", "app.screen.name", "view", "view.name", "app.screen.id"]
    case "view": ["view", "view.name", "screen", "screen.name", "app.screen.name", "app.screen.id"]
    case "host": ["host", "server.address", "url.domain", "http.host", "net.peer.name"]
    case "endpoint": ["endpoint", "url.template", "http.route", "url.path", "server.address"]
    case "interaction": ["interaction", "interaction.name", "action", "app.widget.name", "app.widget.id"]
    case "flow": ["flow", "flow.name"]
    default: [label]
    }
  }
}
