import Core

/// The part of an API response that a tool returns. Responses are shortened, because models have limited context.
///
/// Members without a value are left out. Lists and texts are cut. The number of elements that were cut is in an
/// additional member, such as `metrics_left_out`.
struct Excerpt: Sendable {
  /// The paths of members to leave out, without list indices: `judgement.budgets.before`.
  var omitted: Set<String> = []
  /// The maximum number of elements of lists, by path; `mostElements` for other lists.
  var limits: [String: Int] = [:]

  private static let mostElements = 50
  private static let longestText = 1_000

  /// The shortened document.
  func of(_ value: JSONValue) -> JSONOutput { part(value, "") }

  private func part(_ value: JSONValue, _ path: String) -> JSONOutput {
    if let object = value.objectOrNil { return .object(members(object, path)) }
    if let array = value.arrayOrNil {
      return .array(array.prefix(limits[path] ?? Self.mostElements).map { part($0, path) })
    }
    return value.scalar(longestText: Self.longestText)
  }

  private func members(_ object: JSONObject, _ path: String) -> [(String, JSONOutput)] {
    var members: [(String, JSONOutput)] = []
    for (key, value) in object where !value.isNull {
      let name = key.string
      let inner = path.isEmpty ? name : "\(path).\(name)"
      guard !omitted.contains(inner) else { continue }
      members.append((name, part(value, inner)))
      guard let array = value.arrayOrNil else { continue }
      let missing = array.reduce(0) { count, _ in count + 1 } - (limits[inner] ?? Self.mostElements)
      if missing > 0 { members.append((name + "_left_out", .count(missing))) }
    }
    return members
  }
}

extension JSONValue {
  /// The value as output; null for an object or array.
  func scalar(longestText: Int = .max) -> JSONOutput {
    if let text = textOrNil { return .string(Self.cut(text.string, longestText)) }
    if let truth = booleanOrNil { return .bool(truth) }
    if let integer = integerOrNil { return .integer(Int64(integer)) }
    return numberOrNil.map(JSONOutput.number) ?? .null
  }

  private static func cut(_ text: String, _ longest: Int) -> String {
    text.utf8.count <= longest ? text : text.prefix(longest) + "…"
  }
}
