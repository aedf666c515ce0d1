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
