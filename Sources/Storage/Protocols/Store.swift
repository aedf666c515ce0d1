public import Core

/// The store of everything derived from records. Each record is applied exactly once.
public protocol Store: Sendable {
  /// The position up to which records of `node` are applied.
  func position(of node: NodeID) throws -> DigestPosition

  /// Applies a batch and its position in one transaction. A batch that does not start at the stored position is refused
  /// with `StoreError.notContiguous`.
  func apply(_ batch: DigestedBatch) throws

  /// The rows of a slice and window, read from the smallest table that contains them.
  func rows(_ query: RowQuery) throws -> [MetricRow]

  /// Passes the same rows to `body` one by one, so that they are not all in memory. `body` must not read the store.
  func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws

  /// The number of combinations of OS version, device and attribute that a release has, or all releases together: an
  /// upper bound of the rows that a query by combination reads for a day. 0 if it is not known.
  func combinations(of app: AppID, environment: String, release: String?) throws -> Int

  /// Reads only the counts in a query's rows, which is faster than decoding many rows.
  func usage(_ query: RowQuery) throws -> [UsageRow]

  /// The members of a query's dimension that have rows of usage.
  func members(of query: RowQuery) throws -> Set<String>

  /// Reads only the correlation sums of payload values, added up over days.
  func likeness(_ query: RowQuery) throws -> [CorrelationRow]

  /// The environments and releases of an app, with their first and last days.
  func inventory(of app: AppID) throws -> AppInventory

  /// The tallies of an app by day.
  func tallies(of app: AppID, in window: Window) throws -> [IntakeTally]

  /// The tallies added up over the window, with at most as many names as a page shows.
  func tallySummary(of app: AppID, in window: Window) throws -> TallySummary

  /// The diagnostics that match a query, newest first.
  func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic]

  /// The body and call stacks of a diagnostic; nil if they are no longer stored.
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample?

  /// Merges fine bins into coarser ones when they reach a certain age, and deletes expired rows.
  func compact(now: Timestamp) throws
}

extension Store {
  public func combinations(of app: AppID, environment: String, release: String?) throws -> Int { 0 }

  /// The sequence up to which every record of `node` is applied; 0 before the first.
  public func watermark(of node: NodeID) throws -> Int64 { try position(of: node).applied }

  public func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    for row in try rows(query) { try body(row) }
  }

  public func tallySummary(of app: AppID, in window: Window) throws -> TallySummary {
    TallySummary(of: try tallies(of: app, in: window))
  }
}
