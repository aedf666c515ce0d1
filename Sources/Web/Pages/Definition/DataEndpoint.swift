public import Analysis
public import Core

/// An address below `/api/v1`.
public struct DataEndpoint: Sendable {
  /// The path below `/api/v1`, such as `apps/{app}/exits`.
  public let path: PathPattern
  /// The names of the query parameters that the endpoint supports.
  let parameters: [String]
  /// How `openapi.json` describes it.
  public let operation: APIOperation
  /// The type of the data; nil for a document as stored.
  let answer: (any APIObject.Type)?
  private let read: @Sendable (PageRequest) throws -> EndpointData?

  /// The tables in which the data is also available.
  public var tables: (any TableConvertible.Type)? { answer as? any TableConvertible.Type }

  /// `words`: how `openapi.json` describes it. `answer`: nil for a document as stored. `isContradictable`: whether
  /// valid parameters may contradict each other, or the data.
  init(
    _ path: PathPattern, _ words: Words, parameters: [APIParameter], answer: (any APIObject.Type)?,
    isContradictable: Bool = false, read: @escaping @Sendable (PageRequest) throws -> EndpointData?
  ) {
    self.path = path
    self.answer = answer
    self.read = read
    let tables = answer as? any TableConvertible.Type
    let all = parameters + (tables == nil ? [] : [.format])
    self.parameters = all.map(\.name)
    let schema = answer?.schema ?? .described(.value([]), "The JSON that the client sent.")
    var answers = [APIAnswer(200, "The response.", .json(schema), headers: [APIAnswer.eTag], links: words.links)]
    if let tables {
      answers[0].contents.append(
        APIContent("text/csv", .string, example: .string(String(decoding: tables.example().csv(), as: UTF8.self))))
    }
    answers += [.notModified, .badRequest, .unauthorized]
    if path.placeholders > 0 { answers.append(.notFound) }
    answers.append(.methodNotAllowed)
    if isContradictable { answers.append(.conflict) }
    var operation = APIOperation(
      "get", "/api/v1/" + path.description, id: words.id, words.summary, words.about, parameters: all,
      answers: answers + [.failure, .busy])
    operation.isDeprecated = words.isDeprecated
    self.operation = operation
  }

  /// The data for a request; nil if there is none.
  public func data(_ request: PageRequest) throws -> EndpointData? { try read(request) }

  /// The description of an endpoint in `openapi.json`.
  struct Words: Sendable {
    let id: String
    let summary: String
    let about: String
    var isDeprecated = false
    /// Links from values of the answer to operations, with their parameters as runtime expressions.
    var links: [(operation: String, parameters: [(String, String)])] = []

    init(
      _ id: String, _ summary: String, _ about: String, isDeprecated: Bool = false,
      links: [(operation: String, parameters: [(String, String)])] = []
    ) {
      self.id = id
      self.summary = summary
      self.about = about
      self.isDeprecated = isDeprecated
      self.links = links
    }
  }
}

/// The answer of an endpoint.
public enum EndpointData {
  case object(any APIObject)
  /// A document as stored.
  case bytes([UInt8])

  public func json() -> [UInt8] {
    switch self {
    case .object(let object): object.json()
    case .bytes(let bytes): bytes
    }
  }
}
