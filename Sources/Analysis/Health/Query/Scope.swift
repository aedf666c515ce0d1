package import Core
package import Storage

/// The app, window and slice of a computation, with all defaults filled in.
package struct Scope {
  let app: AppID
  package let bundleID: String
  package let window: Window
  package let slice: Slice
  package let environmentNote: String?
  /// The names of the app's attributes, sorted.
  package let attributes: [String]
  /// The attribute whose values are the members of the dimension `attribute`: the one that `brokenDown` chose, else that
  /// of the filter, else the first; nil if the app has none.
  package private(set) var attribute: String?
  package let inventory: AppInventory
  package let now: Timestamp
  /// The time `now` in the app's time zone, as in rows.
  package let localNow: Timestamp
  /// Days per point of a trend; nil to choose by the length of the window.
  let step: Int?
  /// How much of the last days is known in the environment of the first slice; nil before it was read.
  var arrived: ReportingCompleteness?

  package static let defaultDays = 28
  static let production = "production"
  static let simulated = "simulated"

  init(app: App, inventory: AppInventory, query: ReportQuery, now: Timestamp) {
    self.app = app.id
    bundleID = app.bundleID
    attributes = app.settings.attributes
    attribute = query.attribute?.name ?? attributes.first
    let zone = AppTimeZone(name: app.settings.timeZone)
    localNow = Timestamp(milliseconds: now.milliseconds + Int64(zone?.utcOffsetSeconds(at: now) ?? 0) * 1000)
    self.inventory = inventory
    self.now = now
    step = query.step
    // Data that arrived while the clock was wrong may be dated in the future.
    let today = localNow.day()
    let newest = Self.newestDay(of: inventory, environment: query.environment)
    let to = query.to ?? newest.map { $0 > today + 1 ? today : $0 } ?? today
    let window = query.from.map { Window(from: $0, to: to) } ?? Window(days: Self.defaultDays, endingOn: to)
    self.window = window
    let environment = query.environment ?? Self.environment(in: window, of: inventory)
    slice = query.slice(in: environment)
    environmentNote =
      query.environment == nil && environment != Self.production && !inventory.environments.isEmpty
      ? "No production data in this window: these are the numbers of the environment \(environment)." : nil
  }

  private init(_ other: Scope, window: Window, slice: Slice) {
    app = other.app
    bundleID = other.bundleID
    inventory = other.inventory
    now = other.now
    localNow = other.localNow
    step = other.step
    environmentNote = other.environmentNote
    attributes = other.attributes
    attribute = other.attribute
    arrived = other.arrived
    self.window = window
    self.slice = slice
  }

  /// A copy of the scope with another window or slice of the same app.
  package func with(window: Window? = nil, slice: Slice? = nil) -> Scope {
    Scope(self, window: window ?? self.window, slice: slice ?? self.slice)
  }

  /// A copy of the scope for a breakdown by the values of an attribute.
  package func brokenDown(by attribute: String) -> Scope {
    var scope = self
    scope.attribute = attribute
    return scope
  }

  /// The newest day with data. Simulated payloads are ignored, so they do not move the window of a real app.
  private static func newestDay(of inventory: AppInventory, environment: String?) -> CalendarDay? {
    if let environment { return inventory.environments[environment] }
    return inventory.environments.filter { $0.key != simulated }.values.max() ?? inventory.environments[simulated]
  }

  /// The default environment: the first with data in the window of production, testflight, others by name, simulated.
  private static func environment(in window: Window, of inventory: AppInventory) -> String {
    let lived = inventory.releases.filter { $0.firstDay <= window.to && $0.lastDay >= window.from }
    let present = Set(lived.map(\.environment))
    let order = [production, "testflight"]
    if let first = order.first(where: present.contains) { return first }
    return present.filter { $0 != simulated }.min() ?? (present.contains(simulated) ? simulated : production)
  }

  /// Days between the newest day with data and today; nil without data.
  var staleDays: Int? {
    inventory.environments[slice.environment].map { max(0, localNow.day().number - $0.number) }
  }
}
