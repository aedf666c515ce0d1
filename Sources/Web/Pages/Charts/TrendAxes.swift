import Core

/// The axes of a trend chart: horizontal grid lines with values, and dates below.
struct TrendAxes: Markup {
  var plot: TrendGeometry
  var unit: MetricUnit

  func write(to html: inout HTMLWriter) {
    let frame = plot.frame
    html.write(Grid(heights: plot.axis.ticks.map(plot.y), frame: frame))
    for tick in plot.axis.ticks {
      html.write(
        Label(
          plot.axis.label(tick, unit), at: Point(x: frame.plotLeft - 6, y: plot.y(tick) + 4), anchor: "end"))
    }
    for (day, text, anchor) in days {
      html.write(Label(text, at: Point(x: plot.x(day), y: frame.height - 5), anchor: anchor))
    }
  }

  /// The dates to label: the first and the last day and, on wide charts, weeks in between. A label includes the year if
  /// it differs from the previous label's year; the first label, if it differs from the last label's year.
  private var days: [(CalendarDay, String, StaticString)] {
    let first = CalendarDay(number: plot.firstDay)
    let last = CalendarDay(number: plot.lastDay)
    var year = last.civil.year
    func title(_ day: CalendarDay) -> String {
      defer { year = day.civil.year }
      return ChartDay.text(day, besides: year)
    }
    guard last > first else { return [(first, title(first), "middle")] }
    var labels: [(CalendarDay, String, StaticString)] = [(first, title(first), "start")]
    if plot.frame.isWide {
      let room = Int((Self.labelWidth / plot.dayWidth).rounded(.up))
      for day in stride(from: plot.firstDay + labelStep, through: plot.lastDay - room, by: labelStep)
        .map(CalendarDay.init(number:))
      {
        labels.append((day, title(day), "middle"))
      }
    }
    return labels + [(last, title(last), "end")]
  }

  /// The days between two labels: as many whole weeks as their texts need.
  private var labelStep: Int {
    let weeks = (Self.labelWidth / (7 * plot.dayWidth)).rounded(.up)
    return 7 * max(1, Int(min(weeks, 1000)))
  }

  /// The distance between two labels, one of them with its year, in units of the drawing.
  private static let labelWidth = 100.0
}
