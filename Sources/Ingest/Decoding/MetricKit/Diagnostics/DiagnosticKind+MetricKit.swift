internal import Core

extension DiagnosticKind {
  /// The kind of the diagnostics under this key of an `MXDiagnosticPayload`; nil for other keys.
  init?(payloadKey key: BorrowedJSONString) {
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

  /// The kind of the diagnostic under this key of a `DiagnosticReport`; nil for other keys.
  init?(reportKey key: BorrowedJSONString) {
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

  /// The kind in a client's text, such as `crash`, `MXHangDiagnostic` or `disk_write`; nil if it contains none.
  init?(word: BorrowedJSONString) {
    guard word.count <= 60 else { return nil }
    let word = word.string.lowercased()
    let words: [(String, DiagnosticKind)] = [
      ("crash", .crash), ("hang", .hang), ("cpu", .cpuException), ("disk", .diskWriteException),
      ("launch", .launchFailure), ("memory", .memoryException),
    ]
    guard let kind = words.first(where: { word.contains($0.0) })?.1 else { return nil }
    self = kind
  }

  /// Whether MetricKit lists frames of this kind innermost first, as for crashes. Sampled stacks are listed outermost
  /// first.
  var isWrittenInnermostFirst: Bool {
    switch self {
    case .crash, .memoryException, .error: true
    case .hang, .cpuException, .diskWriteException, .launchFailure: false
    }
  }
}
