import Analysis
import Core
import Storage

/// The values that the filters of an app's pages offer.
public struct FilterChoices: Sendable, Equatable {
  var environments: [String] = []
  /// Versions in use in the window, newest first.
  var releases: [String] = []
  /// OS versions in use in the last days of the window, newest first.
  var systems: [String] = []
  /// Device classes in use in the last days of the window, oldest first.
  var deviceClasses: [String] = []
  /// Device models in use in the last days of the window, sorted by title.
  var devices: [Device] = []
  /// The app's attributes and their values in use in the last days of the window, most used first.
  var attributes: [Attribute] = []
  /// Today in the app's time zone; nil if it is not offered.
  var today: CalendarDay?

  /// An app's attribute with the values that a filter offers.
  struct Attribute: Sendable, Equatable {
    var name: String
    var values: [String]
  }

  /// A device model with its marketing name.
  struct Device: Sendable, Equatable {
    /// The model identifier: `iPhone15,2`.
    var model: String
    /// The marketing name, `iPhone 14 Pro`; the identifier if it is unknown.
    var title: String
  }
}

extension HealthReader {
  /// Reads the values that filters offer. OS versions and devices are those of the window's last days, because older
  /// ones are no longer in use.
  func filterChoices(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> FilterChoices {
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
        .sorted { ($0.title, $0.model) < ($1.title, $1.model) },
      attributes: try scope.attributes.map {
        .init(name: $0, values: try mostUsed(plain.brokenDown(by: $0), .attribute))
      },
      today: scope.localNow.day())
  }

  private static let choiceDays = 7

  /// The device classes in the order of the known ones; unknown ones last.
  private static func ordered(_ classes: Set<String>) -> [String] {
    let known = DeviceClass.all.map(\.name)
    return known.filter(classes.contains) + classes.subtracting(known).sorted()
  }

  /// Versions in use in the window, newest first.
  private static func versions(_ scope: Scope) -> [String] {
    let lived = scope.inventory.releases.filter {
      $0.environment == scope.slice.environment && $0.release != .mixed
        && $0.firstDay <= scope.window.to && $0.lastDay >= scope.window.from
    }
    return Set(lived.map(\.release.versionTitle)).sorted { VersionOrder.precedes($1, $0) }
  }
}
