import Analysis
import Core

/// The fields of a decision, from a form or JSON.
struct TriageFields {
  private let values: [String: String]

  init(form body: [UInt8]) {
    let form = FormFields(body)
    let names = ["state", "release", "owner", "note", "rule", "incident", "hours", "reason"]
    values = Dictionary(uniqueKeysWithValues: names.compactMap { name in form[name].map { (name, $0) } })
  }

  /// Reads a JSON object of texts and numbers; an empty body has no fields.
  init(json body: [UInt8]) throws {
    guard !body.isEmpty else {
      values = [:]
      return
    }
    do {
      values = try body.withUnsafeBytes { bytes in
        try JSONParser(maximumDepth: 8, mostValues: 100).withDocument(bytes) { root in
          var values: [String: String] = [:]
          for (key, value) in try root.object() where !value.isNull {
            values[key.string] = try value.integerOrNil.map(String.init) ?? value.text().string
          }
          return values
        }
      }
    } catch let error as JSONError {
      throw InvalidQuery(detail: "body: \(error)")
    }
  }

  /// A field's value as sent, which may be empty; nil if it is missing.
  func text(_ name: String) -> String? { values[name] }

  /// A field's value; nil if it is missing or blank.
  subscript(name: String) -> String? { values[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }
}
