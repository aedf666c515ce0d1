import Health
import Telemetry

/// One thing that the numbers of a page can be narrowed by.
public enum FilterPart: String, CaseIterable, Sendable {
  case from
  case to
  case environment
  case release
  case os
  case device
  case deviceClass = "device_class"
  case label

  /// The query parameter.
  public var name: String { rawValue }

  /// The days.
  static let window: [Self] = [.from, .to]
  /// Everything that fits every metric.
  static let slice: [Self] = window + [.environment, .release, .os, .device, .deviceClass]

  /// What people read before a value: `release 4.2.0`.
  var title: String {
    switch self {
    case .from: "from"
    case .to: "to"
    case .environment: "environment"
    case .release: "release"
    case .os: "system"
    case .device: "device"
    case .deviceClass: "devices"
    case .label: "label"
    }
  }
}

extension ReportQuery {
  /// The value of a part as an address has it; nil where it is not narrowed.
  subscript(part: FilterPart) -> String? {
    get {
      switch part {
      case .from: from?.iso
      case .to: to?.iso
      case .environment: environment
      case .release: release
      case .os: os
      case .device: device
      case .deviceClass: deviceClass
      case .label: label
      }
    }
    set {
      switch part {
      case .from: from = newValue.flatMap { CalendarDay(iso: $0) }
      case .to: to = newValue.flatMap { CalendarDay(iso: $0) }
      case .environment: environment = newValue
      case .release: release = newValue
      case .os: os = newValue
      case .device: device = newValue
      case .deviceClass: deviceClass = newValue
      case .label: label = newValue
      }
    }
  }

  /// The same with another value of one part; nil clears it.
  func with(_ part: FilterPart, _ value: String?) -> ReportQuery {
    var query = self
    query[part] = value
    return query
  }

  /// `from=2026-11-01&os=iOS%2018.1`: those of `parts` that are set; empty when none is.
  func text(_ parts: [FilterPart]) -> String {
    parts.compactMap { part in self[part].map { "\(part.name)=\(PathEncoding.percent($0))" } }.joined(separator: "&")
  }
}
