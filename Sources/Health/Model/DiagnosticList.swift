public import Storage
public import Telemetry

/// A page of an app's diagnostics.
public struct DiagnosticList: Sendable, Equatable {
  public var app: String
  /// Nil for all kinds.
  public var kind: DiagnosticKind?
  /// The newest first.
  public var diagnostics: [StoredDiagnostic]
  /// What `before` must be for the next page; nil on the last.
  public var next: Int64?

  /// The most on one page.
  public static let most = 200

  public init(app: String, kind: DiagnosticKind?, diagnostics: [StoredDiagnostic], next: Int64?) {
    self.app = app
    self.kind = kind
    self.diagnostics = diagnostics
    self.next = next
  }
}

extension DiagnosticKind {
  /// The kind called `name`: `crash`, `disk_write_exception`.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// What a diagnostic's quantity measures; nil when its kind has none.
  public var quantityUnit: MetricUnit? {
    switch self {
    case .hang, .launchFailure: .milliseconds
    case .cpuException: .seconds
    case .diskWriteException: .bytes
    case .crash, .memoryException, .error: nil
    }
  }
}
