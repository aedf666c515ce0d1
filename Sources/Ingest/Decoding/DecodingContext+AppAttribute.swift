internal import Core

/// Reads the app's attributes. The settings give their names; without names nothing is read. Each result is sorted by
/// name.
extension DecodingContext {
  /// The attributes that `find` finds by their names.
  func attributes(_ find: (_ name: String) -> AppAttribute?) -> [AppAttribute] {
    attributes.isEmpty ? [] : attributes.compactMap(find)
  }

  /// The app's attributes in an object of attributes. Each is a text, a number or a boolean.
  func attributes(in members: JSONObject?) -> [AppAttribute] {
    guard let members else { return [] }
    return attributes { Self.attribute($0, in: members) }
  }

  /// MetricKit's `regionFormat`, the value of an attribute named `region`.
  func region(_ code: @autoclosure () throws -> String?) rethrows -> [AppAttribute] {
    guard attributes.contains(Self.region), let code = try code() else { return [] }
    return AppAttribute(name: Self.region, value: code).map { [$0] } ?? []
  }

  /// `prefix`: the text before the attribute's name in the member's key.
  private static func attribute(_ name: String, in members: JSONObject?, prefix: String = "") -> AppAttribute? {
    guard let members else { return nil }
    let wanted = Array((prefix + name).utf8)
    for (key, value) in members where key == wanted { return attribute(name, value) }
    return nil
  }

  private static func attribute(_ name: String, _ value: JSONValue?) -> AppAttribute? {
    value?.plainText.flatMap { AppAttribute(name: name, value: $0) }
  }

  private static let region = "region"
}

extension DecodingContext {
  /// The app's attributes from the tags, feature flags and trace attributes of a Sentry event or transaction, in this
  /// order.
  ///
  /// Source: develop.sentry.dev/sdk/data-model/event-payloads (tags), …/event-payloads/contexts (flags, trace)
  func attributes(ofSentry event: JSONObject) -> [AppAttribute] {
    if attributes.isEmpty { return [] }
    let contexts = event.object("contexts")
    let data = contexts?.object("trace")?.object("data")
    let (tags, pairs) = (event.object("tags"), event.array("tags"))
    let flags = contexts?.object("flags")?.array("values")
    return attributes { name in
      Self.attribute(name, in: tags) ?? Self.attribute(name, inPairs: pairs) ?? Self.attribute(name, inFlags: flags)
        ?? Self.attribute(name, in: data) ?? Self.attribute(name, in: data, prefix: "flag.evaluation.")
    }
  }

  /// Tags as `[["experiment", "new-cart"]]`.
  private static func attribute(_ name: String, inPairs tags: JSONArray?) -> AppAttribute? {
    guard let tags else { return nil }
    for tag in tags {
      guard let pair = tag.arrayOrNil else { continue }
      var key: String?
      for (index, part) in pair.enumerated() {
        if index == 0 { key = part.textOrNil?.kept }
        if index == 1, key == name { return attribute(name, part) }
        if index > 1 { break }
      }
    }
    return nil
  }

  /// Feature flags as `[{"flag": "new-cart", "result": true}]`. The last evaluation counts.
  private static func attribute(_ name: String, inFlags flags: JSONArray?) -> AppAttribute? {
    guard let flags else { return nil }
    var last: AppAttribute?
    for element in flags {
      guard let flag = element.objectOrNil, flag.text("flag")?.string == name else { continue }
      last = attribute(name, flag["result"]) ?? last
    }
    return last
  }
}

extension DecodingContext {
  /// The app's attributes among those of an OTLP resource, record, span or point.
  func attributes(in members: [OTLPKeyValue]) -> [AppAttribute] {
    attributes { name in
      members.text(name).flatMap { AppAttribute(name: name, value: $0) }
        ?? (name == Self.region ? region(members.text("metrickit.metadata.region_format")).first : nil)
    }
  }

  /// The attributes that make up a label. The app's attributes are left out, because they already distinguish data.
  func labelling(_ members: [OTLPKeyValue]) -> [OTLPKeyValue] {
    guard !attributes.isEmpty, members.contains(where: { attributes.contains($0.key) }) else { return members }
    return members.filter { !attributes.contains($0.key) }
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
