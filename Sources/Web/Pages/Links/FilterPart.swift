import Analysis
import Core

/// A filter of a page's numbers, or one end of their window.
public enum FilterPart: String, CaseIterable, Sendable {
  case from
  case to
  case environment
  case release
  case os
  case device
  case deviceClass = "device_class"
  case attribute = "where"
  case label

  /// The name of the query parameter.
  var name: String { rawValue }

  /// The filters that set the first and last day of the window.
  static let window: [Self] = [.from, .to]
  /// All filters that apply to every metric.
  static let slice: [Self] = window + [.environment, .release, .os, .device, .deviceClass, .attribute]

  /// The text before a value: `release` in `release 4.2.0`.
  var title: String {
    switch self {
    case .from: "from"
    case .to: "to"
    case .environment: "environment"
    case .release: "release"
    case .os: "OS version"
    case .device: "device"
    case .deviceClass: "device class"
    case .attribute: "attribute"
    case .label: "label"
    }
  }
}

extension ReportQuery {
  /// The value of a filter as text for an address; nil if it is not set.
  subscript(part: FilterPart) -> String? {
    get {
      switch part {
      case .from: from?.iso
      case .to: to?.iso
      case .environment: environment
      case .release: isWholeApp ? Self.allReleases : release
      case .os: os
      case .device: device
      case .deviceClass: deviceClass
      case .attribute: attribute?.text
      case .label: label
      }
    }
    set {
      switch part {
      case .from: from = newValue.flatMap { CalendarDay(iso: $0) }
      case .to: to = newValue.flatMap { CalendarDay(iso: $0) }
      case .environment: environment = newValue
      case .release:
        isWholeApp = newValue == Self.allReleases
        release = isWholeApp ? nil : newValue
      case .os: os = newValue
      case .device: device = newValue
      case .deviceClass: deviceClass = newValue
      case .attribute: attribute = newValue.flatMap { AttributeFilter($0) }
      case .label: label = newValue
      }
    }
  }

  /// A copy of the query with another value of one part; nil clears the part.
  func with(_ part: FilterPart, _ value: String?) -> ReportQuery {
    var query = self
    query[part] = value
    return query
  }

  /// The query string of the filters in `parts` that are set, such as `from=2026-11-01&os=iOS%2018.1`; may be empty.
  func text(_ parts: [FilterPart]) -> String {
    parts.compactMap { part in self[part].map { "\(part.name)=\(PathEncoding.percent($0))" } }.joined(separator: "&")
  }
}
