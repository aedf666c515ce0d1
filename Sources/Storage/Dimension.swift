/// The dimensions by which numbers can be broken down.
public enum Dimension: String, Sendable, CaseIterable {
  case release
  case os
  case device
  case deviceClass = "device_class"
  /// The values of the app's attribute; the query names the attribute.
  case attribute
}
