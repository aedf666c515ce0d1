public import Analysis

/// The numbers of a page, as JSON and tables.
public enum PageData {
  /// JSON only. The closure encodes it when it is needed.
  case json(() -> [UInt8])
  /// JSON, and tables in CSV.
  case table(any TableConvertible)

  public func json() -> [UInt8] {
    switch self {
    case .json(let write): write()
    case .table(let table): table.json()
    }
  }
}

/// An address below `/api/v1`.
public struct DataEndpoint: Sendable {
  /// The path below `/api/v1`, such as `apps/{app}/exits`.
  public let path: PathPattern
  /// The query parameters that the endpoint supports, in the order of `openapi.json`.
  let parameters: [String]
  /// Whether the data are also available as CSV.
  let hasTable: Bool
  private let answer: @Sendable (PageRequest) throws -> PageData?

  init(
    _ path: PathPattern, parameters: [String], hasTable: Bool,
    _ answer: @escaping @Sendable (PageRequest) throws -> PageData?
  ) {
    self.path = path
    self.parameters = hasTable ? parameters + ["format"] : parameters
    self.hasTable = hasTable
    self.answer = answer
  }

  /// The data for a request; nil when there is none.
  public func data(_ request: PageRequest) throws -> PageData? { try answer(request) }
}
