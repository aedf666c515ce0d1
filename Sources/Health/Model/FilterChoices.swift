/// What the filters of an app's pages can be set to.
public struct FilterChoices: Sendable, Equatable {
  public var environments: [String]
  /// Versions in use in the window, the newest first.
  public var releases: [String]
  /// Systems of the window's last days, the newest first.
  public var systems: [String]
  /// Classes of devices of the window's last days, the oldest first.
  public var deviceClasses: [String]
  /// Devices of the window's last days, by title.
  public var devices: [Device]

  public init(
    environments: [String] = [], releases: [String] = [], systems: [String] = [], deviceClasses: [String] = [],
    devices: [Device] = []
  ) {
    self.environments = environments
    self.releases = releases
    self.systems = systems
    self.deviceClasses = deviceClasses
    self.devices = devices
  }

  /// A model with what people call it.
  public struct Device: Sendable, Equatable {
    /// `iPhone15,2`
    public var model: String
    /// `iPhone 14 Pro`; the model itself where its name is not known.
    public var title: String

    public init(model: String, title: String) {
      self.model = model
      self.title = title
    }
  }
}
