public import Health

/// The numbers of a page, ready to be written.
public enum PageData {
  /// JSON alone, written when it is asked for.
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
  /// `apps/{app}/exits`
  public let path: PathPattern
  /// The query parameters it knows, in the order of `openapi.json`.
  public let parameters: [String]
  /// Whether it also answers as a table, in CSV.
  public let hasTable: Bool
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

  /// Nil when there is no data for the request.
  public func data(_ request: PageRequest) throws -> PageData? { try answer(request) }
}
