/// One crash, hang or other event with a call stack, as a client reported it.
///
/// The release, device and environment are those of the report that contains the diagnostic: a document whose
/// diagnostics name several becomes several reports.
public struct Diagnostic: Sendable, Equatable {
  public var kind: DiagnosticKind
  public var time: MeasurementTime
  /// The identity by which a repeated diagnostic is recognised: a hash of the event's id, or of its whole content
  /// regardless of the order of keys.
  public var identity: UInt64
  public var exception: ExceptionDetails
  /// The hang's or launch's duration (ms), the CPU time (s) or the bytes written (B); nil when the client does not send
  /// it.
  public var quantity: Double?
  /// The id of the session the diagnostic belongs to, as the client sent it. Hashed before it is stored.
  public var session: String?
  /// The id of the installation or user, as the client sent it. Hashed before it is stored.
  public var user: String?
  /// Whether the client states that the app was in the background.
  public var isInBackground: Bool
  /// All call stacks; empty when the diagnostic has none.
  public var calls: CallTree
  /// The complete diagnostic as JSON; free text is removed unless the app's settings allow it.
  public var body: PackedJSON

  public init(
    kind: DiagnosticKind, time: MeasurementTime, identity: UInt64, exception: ExceptionDetails = ExceptionDetails(),
    quantity: Double? = nil, session: String? = nil, user: String? = nil, isInBackground: Bool = false,
    calls: CallTree = CallTree(), body: PackedJSON
  ) {
    self.kind = kind
    self.time = time
    self.identity = identity
    self.exception = exception
    self.quantity = quantity
    self.session = session
    self.user = user
    self.isInBackground = isInBackground
    self.calls = calls
    self.body = body
  }
}

/// The kind of problem a diagnostic reports. Raw values are stored: never change one.
public enum DiagnosticKind: UInt8, Sendable, CaseIterable {
  case crash = 1
  case hang = 2
  case cpuException = 3
  case diskWriteException = 4
  case launchFailure = 5
  case memoryException = 6
  /// A handled error: the app continued to run.
  case error = 7

  /// The name used in metrics and the API: `crash`, `hang`, `cpu_exception`, `disk_write_exception`, `launch_failure`,
  /// `memory_exception`, `error`.
  public var name: String {
    switch self {
    case .crash: "crash"
    case .hang: "hang"
    case .cpuException: "cpu_exception"
    case .diskWriteException: "disk_write_exception"
    case .launchFailure: "launch_failure"
    case .memoryException: "memory_exception"
    case .error: "error"
    }
  }

  /// The counter in which diagnostics of this kind are counted: `crash.count`.
  public var counter: MetricReference { MetricReference(name: name + ".count", unit: .count, kind: .counter) }
}

/// The cause of a diagnostic as the system or the language runtime reported it. Fields that were not reported are nil.
public struct ExceptionDetails: Sendable, Equatable {
  /// Mach's exception type: 1 is EXC_BAD_ACCESS.
  public var type: Int?
  /// Mach's exception code. It may exceed the range of Int64.
  public var code: UInt64?
  public var signal: Int?
  /// The exception's name or class: `EXC_BAD_ACCESS`, `NSInvalidArgumentException`, `ValueError`.
  public var name: String?
  /// The system's reason for ending the app: `Namespace SIGNAL, Code 11`.
  public var termination: String?
  /// The exception's message. Kept only if the app's settings allow free text.
  public var reason: String?

  public init(
    type: Int? = nil, code: UInt64? = nil, signal: Int? = nil, name: String? = nil, termination: String? = nil,
    reason: String? = nil
  ) {
    self.type = type
    self.code = code
    self.signal = signal
    self.name = name
    self.termination = termination
    self.reason = reason
  }
}
