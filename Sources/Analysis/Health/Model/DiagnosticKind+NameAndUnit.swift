public import Core
internal import Storage

extension DiagnosticKind {
  /// The kind with this name, such as `crash` or `disk_write_exception`; nil for an unknown name.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The unit of a diagnostic's quantity; nil for kinds without one.
  public var quantityUnit: MetricUnit? {
    switch self {
    case .hang, .launchFailure: .milliseconds
    case .cpuException: .seconds
    case .diskWriteException: .bytes
    case .crash, .memoryException, .error: nil
    }
  }
}
