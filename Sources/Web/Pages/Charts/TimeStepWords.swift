import Analysis
import Core

/// The length of a chart's steps, in words.
struct TimeStepWords {
  /// The number of days per point. The oldest point may cover fewer.
  let days: Int

  init(days: Int) { self.days = days }

  init(_ points: [TrendPoint]) { self.init(days: points.last?.days ?? 1) }

  /// The text after a title: `by day`.
  var by: String {
    switch days {
    case 1: "by day"
    case 7: "by week"
    default: "in steps of \(days) days"
    }
  }

  /// The text after a title of counts: `per day`.
  var per: String {
    switch days {
    case 1: "per day"
    case 7: "per week"
    default: "per \(days) days"
    }
  }

  /// The text as a heading: `By day`.
  var heading: String { by.prefix(1).uppercased() + by.dropFirst() }

  /// The heading of the column with the first day of each step.
  var column: String {
    switch days {
    case 1: "Day"
    case 7: "Week from"
    default: "\(days) days from"
    }
  }

  /// A sentence on steps without data.
  var gap: String {
    switch days {
    case 1: "Days without data are left out."
    case 7: "Each point is a week; weeks without data are left out."
    default: "Each point is \(days) days; points without data are left out."
    }
  }

  /// A number of days in words: `28 days`.
  func count(_ number: Int) -> String {
    switch days {
    case 1: number == 1 ? "1 day" : "\(number) days"
    case 7: number == 1 ? "1 week" : "\(number) weeks"
    default: number == 1 ? "1 step of \(days) days" : "\(number) steps of \(days) days"
    }
  }

  /// The first day of a point; with the number of days if that is smaller than the step.
  func head(_ point: TrendPoint) -> String {
    guard point.days != days else { return point.day.iso }
    return "\(point.day.iso) (\(point.days == 1 ? "1 day" : "\(point.days) days"))"
  }
}
