/// The device and operating system an app ran on. Strings are empty when the client did not send them.
public struct Device: Hashable, Sendable {
  /// The model identifier, such as `iPhone15,2`.
  public var model: String
  public var system: OperatingSystem

  public init(model: String, system: OperatingSystem) {
    self.model = model
    self.system = system
  }
}
