internal import Core

/// Reads the app's attribute. The settings give its name; without a name nothing is read.
extension DecodingContext {
  /// The attribute with this value; nil if the app has no attribute or the text is empty.
  func attribute(_ value: @autoclosure () -> String?) -> AppAttribute? {
    guard let attribute, let value = value() else { return nil }
    return AppAttribute(name: attribute, value: value)
  }

  /// The app's attribute in an object of attributes: a text, a number or a boolean.
  func attribute(in attributes: JSONObject?) -> AppAttribute? {
    attribute(in: attributes, prefix: "")
  }

  /// `prefix`: the text before the attribute's name in the member's key.
  private func attribute(in attributes: JSONObject?, prefix: String) -> AppAttribute? {
    guard let attribute, let attributes else { return nil }
    let name = Array((prefix + attribute).utf8)
    for (key, value) in attributes where key == name { return self.attribute(value.plainText) }
    return nil
  }

  /// MetricKit's `regionFormat`, the value of an attribute named `region`.
  func region(_ code: @autoclosure () throws -> String?) rethrows -> AppAttribute? {
    guard attribute == Self.region, let code = try code() else { return nil }
    return AppAttribute(name: Self.region, value: code)
  }

  private static let region = "region"
}

extension DecodingContext {
  /// The app's attribute from the tags, feature flags and trace attributes of a Sentry event or transaction, in this
  /// order.
  ///
  /// Source: develop.sentry.dev/sdk/data-model/event-payloads (tags), …/event-payloads/contexts (flags, trace)
  func attribute(ofSentry event: JSONObject) -> AppAttribute? {
    guard attribute != nil else { return nil }
    let contexts = event.object("contexts")
    let data = contexts?.object("trace")?.object("data")
    return self.attribute(in: event.object("tags")) ?? self.attribute(inPairs: event.array("tags"))
      ?? self.attribute(inFlags: contexts?.object("flags")?.array("values")) ?? self.attribute(in: data)
      ?? self.attribute(in: data, prefix: "flag.evaluation.")
  }

  /// Tags as `[["experiment", "new-cart"]]`.
  private func attribute(inPairs tags: JSONArray?) -> AppAttribute? {
    guard let tags, let attribute else { return nil }
    for tag in tags {
      guard let pair = tag.arrayOrNil else { continue }
      var key: String?
      for (index, part) in pair.enumerated() {
        if index == 0 { key = part.textOrNil?.kept }
        if index == 1, key == attribute { return self.attribute(part.plainText) }
        if index > 1 { break }
      }
    }
    return nil
  }

  /// Feature flags as `[{"flag": "new-cart", "result": true}]`. The last evaluation counts.
  private func attribute(inFlags flags: JSONArray?) -> AppAttribute? {
    guard let flags, let attribute else { return nil }
    var last: AppAttribute?
    for element in flags {
      guard let flag = element.objectOrNil, flag.text("flag")?.string == attribute else { continue }
      last = self.attribute(flag["result"]?.plainText) ?? last
    }
    return last
  }
}

extension DecodingContext {
  /// The app's attribute in the attributes of an OTLP resource, record, span or point.
  func attribute(in attributes: [OTLPKeyValue]) -> AppAttribute? {
    guard let name = attribute else { return nil }
    return attribute(attributes.text(name)) ?? region(attributes.text("metrickit.metadata.region_format"))
  }

  /// The attributes that make up a label. The app's attribute is left out, because it already distinguishes data.
  func labelling(_ attributes: [OTLPKeyValue]) -> [OTLPKeyValue] {
    guard let attribute, attributes.contains(where: { $0.key == attribute }) else { return attributes }
    return attributes.filter { $0.key != attribute }
  }
}

extension JSONValue {
  /// A text, a number or a boolean as text; nil for anything else.
  fileprivate var plainText: String? {
    switch kind {
    case .string: textOrNil?.kept
    case .boolean: booleanOrNil.map { $0 ? "true" : "false" }
    case .integer: integerOrNil.map { String($0) } ?? unsignedIntegerOrNil.map { String($0) }
    case .double: numberOrNil.map { "\($0)" }
    case .object, .array, .null: nil
    }
  }
}
