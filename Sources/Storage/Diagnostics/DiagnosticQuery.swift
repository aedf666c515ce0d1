public import Core

/// A selection of diagnostics, newest first.
public struct DiagnosticQuery: Sendable, Equatable {
  public var app: AppID
  public var kind: DiagnosticKind?
  /// The id below which diagnostics are returned, for the next page of a list.
  public var before: Int64?
  /// The id of the only diagnostic to return.
  public var number: Int64?
  public var limit: Int

  public init(
    app: AppID, kind: DiagnosticKind? = nil, before: Int64? = nil, number: Int64? = nil, limit: Int = 100
  ) {
    self.app = app
    self.kind = kind
    self.before = before
    self.number = number
    self.limit = limit
  }
}
