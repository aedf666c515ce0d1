internal import Core

/// A tool that a model may call. Each call is one request to the API.
struct Tool: Sendable {
  struct Parameter: Sendable {
    enum Kind: String, Sendable {
      case string
      case integer
    }

    let name: String
    let kind: Kind
    let isRequired: Bool
    let description: String

    init(_ name: String, _ description: String, _ kind: Kind = .string, isRequired: Bool = false) {
      self.name = name
      self.kind = kind
      self.isRequired = isRequired
      self.description = description
    }
  }

  /// The error for invalid arguments, with a sentence for the model that sent them.
  struct InvalidArguments: Error {
    let reason: String
  }

  let name: String
  let title: String
  let description: String
  /// Addresses below `/api/v1`. The first address whose placeholders all have a value is used.
  let paths: [String]
  let parameters: [Parameter]
  /// Default values of query parameters.
  var defaults: [String: String] = [:]
  let excerpt: Excerpt
  /// The member of the response whose text is the result; nil if the shortened response is the result.
  var document: StaticString?

  /// The definition for `tools/list`.
  var json: JSONOutput {
    let properties = parameters.map { parameter -> (String, JSONOutput) in
      (
        parameter.name,
        .object([("type", .string(parameter.kind.rawValue)), ("description", .string(parameter.description))])
      )
    }
    return .object([
      ("name", .string(name)), ("title", .string(title)), ("description", .string(description)),
      (
        "inputSchema",
        .object([
          ("type", "object"), ("properties", .object(properties)),
          ("required", .array(parameters.filter(\.isRequired).map { .string($0.name) })),
          ("additionalProperties", .bool(false)),
        ])
      ),
      (
        "annotations",
        .object([
          ("title", .string(title)), ("readOnlyHint", .bool(true)), ("idempotentHint", .bool(true)),
          ("openWorldHint", .bool(false)),
        ])
      ),
    ])
  }

  /// The API request for a model's arguments.
  func question(_ arguments: JSONValue?) throws(InvalidArguments) -> (path: [String], parameters: [(String, String)]) {
    var values = try self.values(arguments)
    for parameter in parameters where parameter.isRequired && values[parameter.name] == nil {
      throw InvalidArguments(reason: "\(parameter.name) is missing: \(parameter.description)")
    }
    values.merge(defaults) { given, _ in given }
    for path in paths {
      let parts = path.split(separator: "/").map(String.init)
      let names = parts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
      let filled = parts.compactMap { $0.hasPrefix("{") ? values[String($0.dropFirst().dropLast())] : $0 }
      guard filled.count == parts.count else { continue }
      guard !filled.contains("."), !filled.contains("..") else {
        throw InvalidArguments(reason: "A name must not be . or ..")
      }
      let rest = values.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }
      return (filled, rest.map { ($0.key, $0.value) })
    }
    throw InvalidArguments(reason: "Arguments are missing.")
  }

  private static let longestValue = 1_000

  private func values(_ arguments: JSONValue?) throws(InvalidArguments) -> [String: String] {
    guard let arguments else { return [:] }
    guard let object = arguments.objectOrNil else { throw InvalidArguments(reason: "arguments must be an object.") }
    var values: [String: String] = [:]
    for (key, value) in object where !value.isNull {
      let name = key.string
      guard let parameter = parameters.first(where: { $0.name == name }) else {
        let known = parameters.isEmpty ? "has no arguments" : "has \(parameters.map(\.name).joined(separator: ", "))"
        throw InvalidArguments(reason: "\(name.prefix(100)) is an unknown argument of \(self.name), which \(known).")
      }
      switch parameter.kind {
      case .integer:
        guard let number = value.integerOrNil else { throw InvalidArguments(reason: "\(name) must be an integer.") }
        values[name] = String(number)
      case .string:
        guard let text = value.textOrNil, text.count <= Self.longestValue else {
          throw InvalidArguments(reason: "\(name) must be a string of at most \(Self.longestValue) bytes.")
        }
        // Some models send an empty text for an argument that they omit.
        if text.count > 0 { values[name] = text.string }
      }
    }
    return values
  }
}
