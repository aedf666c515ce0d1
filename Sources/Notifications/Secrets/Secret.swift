/// A text that is shown to nobody: in descriptions, dumps and interpolations it is `…`.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  /// Keeps `text`.
  public init(_ text: String) { self.text = text }

  /// Lends the text to the one that sends it.
  func use<Value, Failure: Error>(_ body: (String) throws(Failure) -> Value) throws(Failure) -> Value {
    try body(text)
  }

  /// `…`
  public var description: String { "…" }
  /// `…`
  public var debugDescription: String { "…" }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
