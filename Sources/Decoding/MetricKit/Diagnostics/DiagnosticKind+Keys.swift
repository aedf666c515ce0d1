internal import JSON
internal import Telemetry

extension DiagnosticKind {
  /// The kind whose diagnostics stand under this key of an `MXDiagnosticPayload`.
  init?(payloadKey key: JSONText) {
    switch key {
    case "crashDiagnostics": self = .crash
    case "hangDiagnostics": self = .hang
    case "cpuExceptionDiagnostics": self = .cpuException
    case "diskWriteExceptionDiagnostics": self = .diskWriteException
    case "appLaunchDiagnostics": self = .launchFailure
    case "memoryExceptionDiagnostics": self = .memoryException
    default: return nil
    }
  }

  /// The kind whose diagnostic stands under this key of a `DiagnosticReport`.
  init?(reportKey key: JSONText) {
    switch key {
    case "crashDiagnostic": self = .crash
    case "hangDiagnostic": self = .hang
    case "cpuExceptionDiagnostic": self = .cpuException
    case "diskWriteExceptionDiagnostic": self = .diskWriteException
    case "appLaunchDiagnostic": self = .launchFailure
    case "memoryExceptionDiagnostic": self = .memoryException
    default: return nil
    }
  }

  /// The kind that a client's own word names: `crash`, `MXHangDiagnostic`, `disk_write`.
  init?(word: JSONText) {
    guard word.count <= 60 else { return nil }
    let word = word.string.lowercased()
    let stems: [(String, DiagnosticKind)] = [
      ("crash", .crash), ("hang", .hang), ("cpu", .cpuException), ("disk", .diskWriteException),
      ("launch", .launchFailure), ("memory", .memoryException),
    ]
    guard let kind = stems.first(where: { word.contains($0.0) })?.1 else { return nil }
    self = kind
  }

  /// MetricKit writes a crash from the innermost frame outwards, and all that is sampled from the outermost inwards.
  var isWrittenInnermostFirst: Bool {
    switch self {
    case .crash, .memoryException, .error: true
    case .hang, .cpuException, .diskWriteException, .launchFailure: false
    }
  }
}
