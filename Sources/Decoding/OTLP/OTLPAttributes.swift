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
