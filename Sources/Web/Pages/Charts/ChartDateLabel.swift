import Analysis
import Core

/// A day in a drawing.
enum ChartDateLabel {
  /// `Nov 16`; `Nov 16, 2025` if its year is not `year`.
  static func text(_ day: CalendarDay, besides year: Int) -> String {
    let civil = day.civil
    let text = "\(months[civil.month - 1]) \(civil.day)"
    return civil.year == year ? text : "\(text), \(civil.year)"
  }

  /// The days of a point: `Nov 14 to Nov 20`
  static func span(_ point: TrendPoint, besides year: Int) -> String {
    let first = text(point.day, besides: year)
    return point.days == 1 ? first : "\(first) to \(text(point.lastDay, besides: year))"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
