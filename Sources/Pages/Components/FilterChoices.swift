package import Health
package import Storage
package import Telemetry

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

extension HealthReader {
  /// What the filters of an app's pages can be set to. Systems and devices are those of the window's last days:
  /// older ones are no longer in use.
  package func filterChoices(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> FilterChoices {
    let scope = try scope(of: app, query, now: now)
    let days = min(Self.choiceDays, scope.window.days)
    let plain = scope.with(
      window: Window(days: days, endingOn: scope.window.to), slice: Slice(environment: scope.slice.environment))
    let models = try members(plain, .device)
    let classes = Set(models.map { DeviceClass.of(model: $0).name })
    return FilterChoices(
      environments: scope.inventory.environments.keys.sorted(), releases: Self.versions(scope),
      systems: try members(plain, .os).sorted { VersionOrder.precedes($1, $0) },
      deviceClasses: Self.ordered(classes),
      devices: models.map { .init(model: $0, title: DeviceNames.marketingName(of: $0) ?? $0) }
        .sorted { ($0.title, $0.model) < ($1.title, $1.model) })
  }

  private static let choiceDays = 7

  /// In the order of the classes known today; newer ones behind them.
  private static func ordered(_ classes: Set<String>) -> [String] {
    let known = DeviceClass.all.map(\.name)
    return known.filter(classes.contains) + classes.subtracting(known).sorted()
  }

  /// Versions in use in the window, the newest first.
  private static func versions(_ scope: Scope) -> [String] {
    let lived = scope.inventory.releases.filter {
      $0.environment == scope.slice.environment && $0.release != .mixed
        && $0.firstDay <= scope.window.to && $0.lastDay >= scope.window.from
    }
    return Set(lived.map(\.release.versionTitle)).sorted { VersionOrder.precedes($1, $0) }
  }

  private func members(_ scope: Scope, _ dimension: Dimension) throws -> Set<String> {
    Set(try rows(scope, metrics: ["payloads", "sessions"], dimension: dimension).map(\.member))
      .subtracting(["", "(other)"])
  }
}
