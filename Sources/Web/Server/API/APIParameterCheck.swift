import Analysis

/// The query parameters of an API request, checked against the parameters of its route.
///
/// Pages ignore unknown parameters, because other sites link to them. The API refuses them; otherwise a program that
/// misspells `from` would get data of the wrong period without noticing.
struct APIParameterCheck {
  private static let texts: Set = [
    "environment", "release", "os", "device", "device_class", "where", "label", "branch", "runner",
  ]

  static func check(_ query: [(name: String, value: String)], known: [String]) throws(InvalidQuery) {
    for (name, value) in query {
      guard known.contains(name) else {
        let choice = known.isEmpty ? "the address has none" : "expected one of \(known.joined(separator: ", "))"
        throw InvalidQuery(detail: "\(name): unknown parameter; \(choice)", parameter: name)
      }
      // An empty value does not filter, as in the forms of the pages.
      if value.isEmpty, !texts.contains(name) {
        throw InvalidQuery(detail: "\(name): the value must not be empty", parameter: name)
      }
    }
    try checkOnce(query)
  }

  /// Refuses a parameter that occurs twice: either value might be meant.
  static func checkOnce(_ query: [(name: String, value: String)]) throws(InvalidQuery) {
    var seen: Set<String> = []
    for (name, _) in query where !seen.insert(name).inserted {
      throw InvalidQuery(detail: "\(name): found more than once, expected once", parameter: name)
    }
  }
}
