import Health
import Telemetry

/// How many days a point of a chart stands for, in words.
struct StepWords {
  /// Days of a point. The oldest may stand for fewer.
  let days: Int

  init(days: Int) { self.days = days }

  init(_ points: [TrendPoint]) { self.init(days: points.last?.days ?? 1) }

  /// What stands behind a title: `by day`
  var by: String {
    switch days {
    case 1: "by day"
    case 7: "by week"
    default: "in steps of \(days) days"
    }
  }

  /// The same as a heading.
  var heading: String { by.prefix(1).uppercased() + by.dropFirst() }

  /// What stands over the first days of the steps.
  var column: String {
    switch days {
    case 1: "Day"
    case 7: "Week from"
    default: "\(days) days from"
    }
  }

  /// What becomes of a step without data.
  var gap: String {
    switch days {
    case 1: "A day without data is left out."
    case 7: "Each point is a week; one without data is left out."
    default: "Each point is \(days) days; one without data is left out."
    }
  }

  /// `28 days`
  func count(_ number: Int) -> String {
    switch days {
    case 1: number == 1 ? "1 day" : "\(number) days"
    case 7: number == 1 ? "1 week" : "\(number) weeks"
    default: number == 1 ? "1 step of \(days) days" : "\(number) steps of \(days) days"
    }
  }

  /// The first day of a point, and how many days it has where they are fewer.
  func head(_ point: TrendPoint) -> String {
    guard point.days != days else { return point.day.iso }
    return "\(point.day.iso) (\(point.days == 1 ? "1 day" : "\(point.days) days"))"
  }

  /// The days of a point: `2026-11-14 to 2026-11-20`
  static func span(_ point: TrendPoint) -> String {
    point.days == 1 ? point.day.iso : "\(point.day.iso) to \(point.lastDay.iso)"
  }
}
