import Analysis
public import Core
import SQLiteStore
import Storage
import Symbols
import Web

/// Answers API requests from a data folder, without a server.
public struct FolderAPI: Sendable {
  private let installation: Installation
  private let budgets: BudgetRepository
  private let symbols: Symbolizer

  /// Creates an API. `report`: receives sentences about symbols that cannot be read.
  public init(
    _ installation: Installation, _ settings: Settings, report: @escaping @Sendable (String) -> Void
  ) throws {
    self.installation = installation
    budgets = BudgetRepository(installation, file: nil)
    symbols = try Symbolizer.ofProcess(try installation.symbols(settings), settings, report: report)
  }

  /// The JSON of an endpoint, as a server sends it; nil if there is nothing at the path. Throws `InvalidQuery` for an
  /// invalid parameter.
  ///
  /// - Parameter path: the decoded segments below `/api/v1`.
  public func json(
    at path: [String], _ parameters: [(name: String, value: String)], now: Timestamp
  ) throws -> [UInt8]? {
    for endpoint in PageList.endpoints {
      guard let arguments = endpoint.path.arguments(of: path) else { continue }
      // The store is opened for each request, because the folder may have been restored meanwhile.
      let store = try installation.store(samples: SQLiteSampleStore(path: installation.folder.samples))
      let source = FolderSource(installation, store, budgets, symbols: symbols, now: now)
      let request = PageRequest(source, arguments: arguments) { name in
        parameters.first { $0.name == name }?.value
      }
      var data: EndpointData?
      try store.snapshot { data = try endpoint.data(request) }
      return data?.json()
    }
    return nil
  }
}
