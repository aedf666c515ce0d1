import Storage
public import Telemetry

/// Which part of an app's data a report covers. A nil part takes its default: the 28 days that end on the newest
/// day with data, production.
public struct ReportQuery: Hashable, Sendable {
  public var from: CalendarDay?
  public var to: CalendarDay?
  public var environment: String?
  public var release: String?
  public var os: String?
  public var device: String?
  public var deviceClass: String?
  /// The screen, host or view; for one metric only, because labels belong to a metric.
  public var label: String?
  /// Days of each point of a trend; nil for as many as the window's length asks for.
  public var step: Int?

  public init(
    from: CalendarDay? = nil, to: CalendarDay? = nil, environment: String? = nil, release: String? = nil,
    os: String? = nil, device: String? = nil, deviceClass: String? = nil, label: String? = nil
  ) {
    self.from = from
    self.to = to
    self.environment = environment
    self.release = release
    self.os = os
    self.device = device
    self.deviceClass = deviceClass
    self.label = label
  }

  /// Reads the query parameters of the same names: `from`, `to`, `environment`, `release`, `os`, `device`,
  /// `device_class`, `label`, `step`.
  public init(parameter: (String) -> String?) throws(InvalidQuery) {
    from = try Self.day("from", parameter)
    to = try Self.day("to", parameter)
    environment = parameter("environment").flatMap(Self.nonEmpty)
    release = parameter("release").flatMap(Self.nonEmpty)
    os = parameter("os").flatMap(Self.nonEmpty)
    device = parameter("device").flatMap(Self.nonEmpty)
    deviceClass = parameter("device_class").flatMap(Self.nonEmpty)
    label = parameter("label").flatMap(Self.nonEmpty)
    step = try Self.step(parameter)
    if let from, let to, to < from {
      throw InvalidQuery(detail: "to (\(to.iso)) lies before from (\(from.iso))", parameter: "to", isReadable: true)
    }
  }

  private static func day(_ name: String, _ parameter: (String) -> String?) throws(InvalidQuery) -> CalendarDay? {
    guard let text = parameter(name).flatMap(nonEmpty) else { return nil }
    guard let day = CalendarDay(iso: text) else {
      throw InvalidQuery(detail: "\(name): expected a day such as 2026-11-20, found \"\(text)\"", parameter: name)
    }
    return day
  }

  private static func step(_ parameter: (String) -> String?) throws(InvalidQuery) -> Int? {
    guard let text = parameter("step").flatMap(nonEmpty) else { return nil }
    guard let days = Int(text), (1...TrendStep.longest).contains(days) else {
      throw InvalidQuery(
        detail: "step: expected how many days a point of a trend stands for, from 1 to \(TrendStep.longest), "
          + "found \"\(text)\"", parameter: "step")
    }
    return days
  }

  private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  func slice(in environment: String) -> Slice {
    Slice(
      environment: environment, release: release, os: os, device: device, deviceClass: deviceClass, label: label)
  }
}

/// A question that cannot be answered.
public struct InvalidQuery: Error, Sendable, CustomStringConvertible {
  /// What is wrong and what was expected.
  public let detail: String
  /// The query parameter that is wrong; nil when it is none.
  public let parameter: String?
  /// Every parameter can be read by itself, but they contradict each other, or ask for more than is kept.
  public let isReadable: Bool

  public init(detail: String, parameter: String? = nil, isReadable: Bool = false) {
    self.detail = detail
    self.parameter = parameter
    self.isReadable = isReadable
  }

  public var description: String { detail }
}
