/// A count of events that are not measurements, such as rejected requests or losses. `kind` is the raw value of the
/// store's `TallyKind`.
public struct TallyRecord: Sendable, Equatable {
  var kind: UInt8
  /// The client's name; empty if unknown.
  var client: String
  var reason: String
  var detail: String
  var count: Int

  public init(kind: UInt8, client: String = "", reason: String, detail: String, count: Int) {
    self.kind = kind
    self.client = client
    self.reason = reason
    self.detail = detail
    self.count = count
  }
}
