/// The schema of a JSON value, in the terms of JSON Schema.
public indirect enum JSONSchema: Sendable {
  /// A value that is not a container, as a list of keywords: `type`, `format`, `enum`.
  case value([(String, JSONOutput)])
  /// An object whose members are declared.
  case object(ObjectSchema)
  case array(of: JSONSchema, atMost: Int? = nil)
  /// An object whose keys are data, such as trends by the name of their statistic.
  case map(of: JSONSchema)
  case optional(JSONSchema)
  /// A schema that a document contains once, under this name.
  case named(String, JSONSchema)
  /// A value with a description. A description of the member that has the value replaces it.
  case described(JSONSchema, String)

  public static let boolean = value([("type", "boolean")])
  public static let number = value([("type", "number")])
  public static let string = value([("type", "string")])
  public static let date = value([("type", "string"), ("format", "date")])
  public static let dateTime = value([("type", "string"), ("format", "date-time")])
  /// Any JSON object.
  public static let anyObject = value([("type", "object")])

  /// A whole number within bounds.
  public static func integer(from least: Int64? = nil, to most: Int64? = nil, format: String? = nil) -> JSONSchema {
    .value(
      [("type", "integer")] + (format.map { [("format", .string($0))] } ?? [])
        + (least.map { [("minimum", .integer($0))] } ?? []) + (most.map { [("maximum", .integer($0))] } ?? []))
  }

  /// A text of limited length.
  public static func string(from least: Int? = nil, to most: Int? = nil) -> JSONSchema {
    .value(
      [("type", "string")] + (least.map { [("minLength", .count($0))] } ?? [])
        + (most.map { [("maxLength", .count($0))] } ?? []))
  }

  /// A text that matches a regular expression.
  public static func string(matching pattern: String) -> JSONSchema {
    .value([("type", "string"), ("pattern", .string(pattern))])
  }

  public static func oneOf(_ names: [String]) -> JSONSchema {
    .value([("type", "string"), ("enum", .array(names.map { .string($0) }))])
  }

  /// The schema with one more keyword.
  public func with(_ keyword: String, _ value: JSONOutput) -> JSONSchema {
    switch self {
    case .value(let keywords): .value(keywords + [(keyword, value)])
    case .described(let schema, let text): .described(schema.with(keyword, value), text)
    case .optional(let schema): .optional(schema.with(keyword, value))
    case .object, .array, .map, .named: self
    }
  }

  /// Whether the schema is of binary data, or is an object with such a member.
  public var isBinary: Bool {
    switch self {
    case .value(let keywords): if case .string("binary")? = keywords.last?.1 { true } else { false }
    case .object(let object): object.members.contains(where: \.schema.isBinary)
    case .array, .map, .optional, .named, .described: false
    }
  }

  /// The schema without null and description.
  public var present: JSONSchema {
    switch self {
    case .optional(let schema), .described(let schema, _), .named(_, let schema): schema.present
    case .value, .object, .array, .map: self
    }
  }
}

/// The members of an object.
public struct ObjectSchema: Sendable {
  /// The schema's name in a document; nil for a schema that is written inline.
  public let name: String?
  let about: String?
  public let members: [Member]
  /// Further keywords, such as `anyOf`.
  let keywords: [(String, JSONOutput)]

  /// `name`: nil for a schema that is written inline. `keywords`: further keywords, such as `anyOf`.
  public init(
    name: String? = nil, about: String? = nil, _ members: [Member], keywords: [(String, JSONOutput)] = []
  ) {
    self.name = name
    self.about = about
    self.members = members
    self.keywords = keywords
  }

  public struct Member: Sendable {
    public let name: String
    public let schema: JSONSchema
    /// A description of what the name leaves open.
    let about: String?
    /// Whether every object has the member.
    let isRequired: Bool

    public init(_ name: String, _ schema: JSONSchema, _ about: String? = nil, isRequired: Bool = true) {
      self.name = name
      self.schema = schema
      self.about = about
      self.isRequired = isRequired
    }
  }

  /// The names of a table's columns: the members without lists. A member of a nested object is named like
  /// `crash_free.value`.
  public var columns: [String] {
    members.flatMap { member in
      switch member.schema.present {
      case .object(let object): object.columns.map { "\(member.name).\($0)" }
      case .array, .map: [String]()
      case .value, .optional, .named, .described: [member.name]
      }
    }
  }
}

/// The named schemas of a document, each written once.
public struct SchemaCatalog {
  public private(set) var schemas: [(name: String, schema: JSONOutput)] = []
  private var known: Set<String> = []

  public init() {}

  /// The schema as JSON. Named objects become references into the catalog.
  public mutating func json(_ schema: JSONSchema) -> JSONOutput { .object(keywords(schema)) }

  private mutating func keywords(_ schema: JSONSchema) -> [(String, JSONOutput)] {
    switch schema {
    case .value(let keywords): return keywords
    case .array(let items, let most):
      return [("type", "array"), ("items", json(items))] + (most.map { [("maxItems", .count($0))] } ?? [])
    case .map(let members): return [("type", "object"), ("additionalProperties", json(members))]
    case .described(let schema, let text): return Self.describe(keywords(schema), text)
    case .optional(let schema): return Self.orNull(keywords(schema))
    case .named(let name, let schema): return reference(name) { $0.keywords(schema) }
    case .object(let object):
      guard let name = object.name else { return members(of: object) }
      return reference(name) { $0.members(of: object) }
    }
  }

  private mutating func reference(
    _ name: String, _ keywords: (inout Self) -> [(String, JSONOutput)]
  ) -> [(String, JSONOutput)] {
    if known.insert(name).inserted {
      let place = schemas.endIndex
      schemas.append((name, .null))
      schemas[place].schema = .object(keywords(&self))
    }
    return [("$ref", .string("#/components/schemas/\(name)"))]
  }

  private mutating func members(of object: ObjectSchema) -> [(String, JSONOutput)] {
    let properties = object.members.map { member in
      var own = keywords(member.schema)
      if let about = member.about { own = Self.describe(own, about) }
      return (member.name, JSONOutput.object(own))
    }
    let required = object.members.filter(\.isRequired).map { JSONOutput.string($0.name) }
    return [("type", "object")] + (object.about.map { [("description", .string($0))] } ?? [])
      + [("properties", .object(properties))] + (required.isEmpty ? [] : [("required", .array(required))])
      + object.keywords
  }

  private static func describe(_ keywords: [(String, JSONOutput)], _ text: String) -> [(String, JSONOutput)] {
    keywords.filter { $0.0 != "description" } + [("description", .string(text))]
  }

  private static func orNull(_ keywords: [(String, JSONOutput)]) -> [(String, JSONOutput)] {
    guard keywords.contains(where: { $0.0 == "type" }), !keywords.contains(where: { $0.0 == "properties" }) else {
      return [("anyOf", .array([.object(keywords), .object([("type", "null")])]))]
    }
    return keywords.map { name, value in
      switch (name, value) {
      case ("type", _): (name, .array([value, "null"]))
      case ("enum", .array(let values)): (name, .array(values + [.null]))
      default: (name, value)
      }
    }
  }
}
