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
  public var body: [UInt8]

  public init(
    kind: DiagnosticKind, time: MeasurementTime, identity: UInt64, exception: ExceptionDetails = ExceptionDetails(),
    quantity: Double? = nil, session: String? = nil, user: String? = nil, isInBackground: Bool = false,
    calls: CallTree = CallTree(), body: [UInt8]
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
