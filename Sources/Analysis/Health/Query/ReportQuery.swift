public import Core
import Storage

/// The part of an app's data that a report covers. A nil property means its default: the environment production, and
/// the 28 days up to the newest day with data.
public struct ReportQuery: Hashable, Sendable {
  public var from: CalendarDay?
  public var to: CalendarDay?
  public var environment: String?
  public var release: String?
  /// Whether all releases together are judged, instead of the newest release in use.
  public var isWholeApp = false
  public var os: String?
  public var device: String?
  public var deviceClass: String?
  /// A value of the app's attribute, or all values but one.
  public var attribute: AttributeFilter?
  /// The screen, host or view. Only for reports on one metric, because labels belong to a metric.
  public var label: String?
  /// Days per point of a trend; nil to choose it from the length of the window.
  var step: Int?
  /// The share of users that the head of a comparison of two values should have, 0 to 1; nil if it is not stated.
  var split: Double?

  public init(
    from: CalendarDay? = nil, to: CalendarDay? = nil, environment: String? = nil, release: String? = nil,
    os: String? = nil, device: String? = nil, deviceClass: String? = nil, attribute: AttributeFilter? = nil,
    label: String? = nil
  ) {
    self.from = from
    self.to = to
    self.environment = environment
    self.release = release
    self.os = os
    self.device = device
    self.deviceClass = deviceClass
    self.attribute = attribute
    self.label = label
  }

  /// Reads the query parameters `from`, `to`, `environment`, `release` (`all` for the whole app), `os`, `device`,
  /// `device_class`, `where`, `label`, `step` and `split`.
  public init(parameter: (String) -> String?) throws(InvalidQuery) {
    from = try Self.day("from", parameter)
    to = try Self.day("to", parameter)
    environment = parameter("environment").flatMap(Self.nonEmpty)
    let release = parameter("release").flatMap(Self.nonEmpty)
    isWholeApp = release == Self.allReleases
    self.release = isWholeApp ? nil : release
    os = parameter("os").flatMap(Self.nonEmpty)
    device = parameter("device").flatMap(Self.nonEmpty)
    deviceClass = parameter("device_class").flatMap(Self.nonEmpty)
    attribute = try Self.attribute(parameter)
    label = parameter("label").flatMap(Self.nonEmpty)
    step = try Self.step(parameter)
    split = try Self.split(parameter)
    if let from, let to, to < from {
      throw InvalidQuery(detail: "to: \(to.iso) is before from \(from.iso)", parameter: "to", isReadable: true)
    }
  }

  private static func day(_ name: String, _ parameter: (String) -> String?) throws(InvalidQuery) -> CalendarDay? {
    guard let text = parameter(name).flatMap(nonEmpty) else { return nil }
    guard let day = CalendarDay(iso: text) else {
      throw InvalidQuery(detail: "\(name): expected a day such as 2026-11-20, found \"\(text)\"", parameter: name)
    }
    return day
  }

  private static func attribute(_ parameter: (String) -> String?) throws(InvalidQuery) -> AttributeFilter? {
    guard let text = parameter(attributeName).flatMap(nonEmpty) else { return nil }
    guard let filter = AttributeFilter(text) else {
      throw InvalidQuery(
        detail: "\(attributeName): expected the app's attribute and a value, such as experiment=new-cart, or "
          + "region!=DE for all other values, found \"\(text)\"", parameter: attributeName)
    }
    return filter
  }

  /// The names of the other filters. An attribute of the same name would be mistaken for one of them.
  public static let filterNames: Set = ["environment", "release", "os", "device", "device_class", "label"]

  /// The name of the parameter that filters by the app's attribute.
  static let attributeName = "where"

  private static func step(_ parameter: (String) -> String?) throws(InvalidQuery) -> Int? {
    guard let text = parameter("step").flatMap(nonEmpty) else { return nil }
    guard let days = Int(decimal: text), (1...TrendStep.longest).contains(days) else {
      throw InvalidQuery(
        detail: "step: expected the number of days per point of a trend, from 1 to \(TrendStep.longest), "
          + "found \"\(text)\"", parameter: "step")
    }
    return days
  }

  private static func split(_ parameter: (String) -> String?) throws(InvalidQuery) -> Double? {
    guard let text = parameter("split").flatMap(nonEmpty) else { return nil }
    guard let share = share(ofPercent: text) else {
      throw InvalidQuery(detail: "split: \(expectedSplit), found \"\(text)\"", parameter: "split")
    }
    return share
  }

  /// The value of `split`, such as `50` or `33.3`, as a share; nil outside of 1 to 99.
  public static func share(ofPercent text: String) -> Double? {
    guard let percent = Double(decimal: text), (1...99).contains(percent) else { return nil }
    return percent / 100
  }

  public static let expectedSplit = "expected the percentage of users in head, from 1 to 99, such as 50"

  private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// The value of `release` that means the whole app.
  public static let allReleases = "all"

  func slice(in environment: String) -> Slice {
    Slice(
      environment: environment, release: release, os: os, device: device, deviceClass: deviceClass, label: label,
      attribute: attribute)
  }
}
