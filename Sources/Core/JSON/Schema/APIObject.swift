/// A type of the API: its JSON form and the schema of that form.
public protocol APIValue: Sendable {
  var output: JSONOutput { get }
  static var schema: JSONSchema { get }
}

/// An object of the API. One list of fields defines its JSON, its schema and its columns in tables.
public protocol APIObject: APIValue {
  static var fields: Fields<Self> { get }
}

/// The members of an API object, in the order of its JSON.
///
///     static let fields = Fields<Self>("Window", "Whole days, both ends included.") {
///       Field("from", \.from)
///       Field("to", \.to)
///     }
public struct Fields<Row: Sendable>: Sendable {
  public let schema: ObjectSchema
  let list: [Field<Row>]

  /// `name`: the schema's name; nil for a schema that is written inline.
  public init(_ name: String? = nil, _ about: String? = nil, @FieldList<Row> _ list: () -> [Field<Row>]) {
    self.list = list()
    schema = ObjectSchema(name: name, about: about, self.list.map(\.member))
  }

  func output(of row: Row) -> JSONOutput {
    .object(list.compactMap { field in field.value(row).map { (field.member.name, $0) } })
  }

  /// The fields as members of an outer object that contains this one.
  public func of<Outer>(_ inner: @escaping @Sendable (Outer) -> Row) -> [Field<Outer>] {
    list.map { Field<Outer>($0, of: inner) }
  }
}

/// A member of a JSON object, which is also a column of a table.
public struct Field<Row: Sendable>: Sendable {
  let member: ObjectSchema.Member
  /// The member's value; nil if the object does not have the member.
  let value: @Sendable (Row) -> JSONOutput?

  /// `about`: a description of what the name leaves open. `schema`: a narrower schema than the type's.
  public init<Value: APIValue>(
    _ name: String, _ value: @escaping @Sendable (Row) -> Value, _ about: String? = nil, schema: JSONSchema? = nil
  ) {
    member = .init(name, schema ?? Value.schema, about)
    self.value = { value($0).output }
  }

  /// A member that is omitted when its value is nil.
  public init<Value: APIValue>(
    ifPresent name: String, _ value: @escaping @Sendable (Row) -> Value?, _ about: String? = nil,
    schema: JSONSchema? = nil
  ) {
    member = .init(name, schema ?? Value.schema, about, isRequired: false)
    self.value = { value($0)?.output }
  }

  /// A member whose value is a list of objects with these fields.
  public init<Item>(_ name: String, _ items: @escaping @Sendable (Row) -> [Item], each fields: Fields<Item>) {
    member = .init(name, .array(of: .object(fields.schema)))
    value = { .array(items($0).map(fields.output)) }
  }

  /// A member of an inner object as a member of the outer one.
  public init<Inner>(_ field: Field<Inner>, of inner: @escaping @Sendable (Row) -> Inner) {
    member = field.member
    value = { field.value(inner($0)) }
  }
}

@resultBuilder
public enum FieldList<Row: Sendable> {
  public static func buildExpression(_ field: Field<Row>) -> [Field<Row>] { [field] }
  public static func buildExpression(_ fields: [Field<Row>]) -> [Field<Row>] { fields }
  public static func buildBlock(_ fields: [Field<Row>]...) -> [Field<Row>] { fields.flatMap { $0 } }
}

extension APIObject {
  public var output: JSONOutput { Self.fields.output(of: self) }

  public static var schema: JSONSchema { .object(fields.schema) }

  /// The object as a UTF-8 document that ends with a line feed. Unknown values are null, never 0 or missing.
  public func json() -> [UInt8] { output.encoded() + [UInt8(ascii: "\n")] }
}

extension APIValue where Self: RawRepresentable<String> & CaseIterable {
  public var output: JSONOutput { .string(rawValue) }
  public static var schema: JSONSchema { .oneOf(allCases.map(\.rawValue)) }
}

extension String: APIValue {
  public var output: JSONOutput { .string(self) }
  public static var schema: JSONSchema { .string }
}

extension Bool: APIValue {
  public var output: JSONOutput { .bool(self) }
  public static var schema: JSONSchema { .boolean }
}

extension Double: APIValue {
  public var output: JSONOutput { .number(self) }
  public static var schema: JSONSchema { .number }
}

/// The encoding of a count.
extension Int: APIValue {
  public var output: JSONOutput { .count(self) }
  public static var schema: JSONSchema { .integer(from: 0) }
}

extension Int64: APIValue {
  public var output: JSONOutput { .integer(self) }
  public static var schema: JSONSchema { .integer() }
}

extension Optional: APIValue where Wrapped: APIValue {
  public var output: JSONOutput { self?.output ?? .null }
  public static var schema: JSONSchema { .optional(Wrapped.schema) }
}

extension Array: APIValue where Element: APIValue {
  public var output: JSONOutput { .array(map(\.output)) }
  public static var schema: JSONSchema { .array(of: Element.schema) }
}

/// A JSON object whose keys are data, in a given order.
public struct NamedValues<Value: APIValue>: APIValue {
  let members: [(String, Value)]

  public init(_ members: [(String, Value)]) { self.members = members }

  public var output: JSONOutput { .object(members.map { ($0, $1.output) }) }
  public static var schema: JSONSchema { .map(of: Value.schema) }
}

extension Field {
  /// The version of the API's contract, a member of every document.
  public static func version(_ number: Int) -> Field {
    Field(
      "schema", { _ in number },
      "The version of this contract. Within a version members may be added; none is removed or changes its meaning.",
      schema: .integer().with("const", .count(number)))
  }

  public static func app(_ bundleID: @escaping @Sendable (Row) -> String) -> Field {
    Field("app", bundleID, "The bundle identifier.")
  }
}
