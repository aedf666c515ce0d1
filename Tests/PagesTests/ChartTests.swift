import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Web

@Suite struct ChartTests {
  private func points(_ values: [Double?]) -> [TrendPoint] {
    values.enumerated().map { index, value in
      let bounds = value.map { Estimate(value: $0, low: $0 - 10, high: $0 + 10) } ?? .unknown
      return TrendPoint(day: CalendarDay(number: 100 + index), estimate: bounds, n: 5)
    }
  }

  private let frame = ChartDimensions(width: 200, height: 120, left: 46, right: 6, top: 10, bottom: 10)

  private func plot(_ points: [TrendPoint], target: Double? = nil) -> TrendGeometry {
    TrendGeometry([points], frame: frame, target: target, direction: .lower, unit: .milliseconds)
  }

  @Test(
    "steps of a chart's axis are 1, 2 or 5 times a power of ten",
    arguments: [
      (0.0, 10.0, 5, 2.0), (0, 100, 4, 50), (0, 1.5, 5, 0.5), (0, 0.3, 3, 0.1), (97, 100, 5, 1), (5, 5, 4, 1),
    ])
  func steps(lower: Double, upper: Double, count: Int, expected: Double) {
    #expect(abs(Ticks.step(lower, upper, count: count) - expected) < 1e-12)
  }

  @Test("ticks of a chart are the multiples of the step, including both ends")
  func ticks() {
    #expect(Ticks.multiples(of: 500, 0, 2000) == [0, 500, 1000, 1500, 2000])
    #expect(Ticks.multiples(of: 2, 3, 9) == [4, 6, 8])
    #expect(Ticks.multiples(of: 0, 0, 1).isEmpty)
    #expect(Ticks.multiples(of: 1e-300, 0, 1e300).isEmpty)
  }

  @Test("a chart of a smaller-is-better metric starts at zero and includes the budget")
  func axisFromZero() {
    let axis = ValueAxis(
      values: [1300, 1390], bounds: [1250, 1450], target: 2000, direction: .lower, unit: .milliseconds)
    #expect(axis.ticks == [0, 500, 1000, 1500, 2000])
    #expect(axis.showsTarget)
    #expect(
      axis.ticks.map { axis.label($0, .milliseconds) } == ["0", "0.5\u{A0}s", "1.0\u{A0}s", "1.5\u{A0}s", "2.0\u{A0}s"])
  }

  @Test("an axis in minutes or hours has round steps in one unit")
  func axisInMinutes() {
    func labels(_ top: Double, _ unit: MetricUnit) -> [String] {
      ValueAxis(values: [top], bounds: [], target: nil, direction: .lower, unit: unit).labels(unit)
    }
    #expect(labels(2_400_000, .milliseconds) == ["0", "10\u{A0}min", "20\u{A0}min", "30\u{A0}min", "40\u{A0}min"])
    #expect(labels(9000, .seconds) == ["0", "0.5\u{A0}h", "1.0\u{A0}h", "1.5\u{A0}h", "2.0\u{A0}h", "2.5\u{A0}h"])
    // Of 119 s the axis ends at 150 s, which are 2.5 min elsewhere.
    #expect(labels(119_000, .milliseconds).last == "150\u{A0}s")
  }

  @Test("a chart's label is short for any value, and fits next to the drawing", arguments: MetricUnit.allCases)
  func labelWidths(unit: MetricUnit) {
    for exponent in stride(from: -2.0, through: 9, by: 0.37) {
      let top = pow(10.0, exponent)
      let axis = ValueAxis(values: [top * 0.91], bounds: [], target: nil, direction: .lower, unit: unit)
      let labels = axis.labels(unit)
      #expect(labels.count >= 3 && Set(labels).count == labels.count)
      for label in labels.dropFirst() {
        let decimals = label.split(separator: "\u{A0}")[0].split(separator: ".").dropFirst().first?.count ?? 0
        #expect(top < 0.05 || decimals <= 2, "\(label)")
        // In Arial, which browsers take where no other font is, no figure is wider than 6.7 of 12 units.
        #expect(6.7 * Double(label.count) <= ChartDimensions.small.fitting(labels).left - 6, "\(label)")
      }
    }
  }

  @Test("values along bars are round and in order, and do not touch each other or an open end")
  func roundLabels() {
    let wide = ChartDimensions(width: 480, height: 120, left: 46, right: 6, top: 10, bottom: 10)
    let bars = (0..<40).map { index in
      DistributionBar(low: 97 * pow(1.13, Double(index)), high: 97 * pow(1.13, Double(index + 1)), count: 1)
    }
    let labels = DistributionScale(bars, frame: wide).roundLabels(.milliseconds, before: 480)
    #expect(labels.map(\.text).suffix(5) == ["500\u{A0}ms", "1\u{A0}s", "2\u{A0}s", "5\u{A0}s", "10\u{A0}s"])
    #expect(zip(labels, labels.dropFirst()).allSatisfy { $1.x - $0.x > 40 })
    // Frames a second lie near each other: no two of 1, 2 and 5 times a power of ten are among them.
    let narrow = (0..<12).map { DistributionBar(low: 55 + 0.5 * Double($0), high: 55.5 + 0.5 * Double($0), count: 1) }
    let near = DistributionScale(narrow, frame: wide).roundLabels(.framesPerSecond, before: 480)
    #expect(
      near.map(\.text) == ["55\u{A0}fps", "56\u{A0}fps", "57\u{A0}fps", "58\u{A0}fps", "59\u{A0}fps", "60\u{A0}fps"])
    #expect(DistributionScale([], frame: wide).roundLabels(.milliseconds, before: 480).isEmpty)
  }

  @Test("a budget far above the values is left off the axis")
  func farBudget() {
    let axis = ValueAxis(values: [180e6], bounds: [], target: 1e9, direction: .lower, unit: .bytes)
    #expect(!axis.showsTarget)
    #expect(axis.ticks == [0, 50e6, 100e6, 150e6, 200e6])
  }

  @Test("a chart of a share ends at 100 %, so that the loss is visible")
  func axisOfShare() {
    let axis = ValueAxis(values: [0.997, 0.986], bounds: [], target: 0.995, direction: .higher, unit: .ratio)
    #expect(axis.upper == 1)
    #expect(abs(axis.lower - 0.985) < 1e-12)
    #expect(axis.showsTarget)
    #expect(axis.label(0.985, .ratio) == "98.5\u{A0}%")
  }

  @Test("a wide interval extends the axis by at most half")
  func farBounds() {
    let axis = ValueAxis(values: [100], bounds: [1e9], target: nil, direction: .lower, unit: .milliseconds)
    #expect(axis.upper == 150)
  }

  @Test("no line is drawn through a day without data")
  func gaps() {
    let runs = TrendGeometry.runs(points([1, 2, nil, 3, nil, nil, 4, 5]))
    #expect(runs.map { $0.map(\.day.number) } == [[100, 101], [103], [106, 107]])
  }

  @Test("days that are missing in the data are also gaps in a chart")
  func absentDays() {
    var days = points([1, 2, 3, 4])
    days.remove(at: 1)
    #expect(TrendGeometry.runs(days).map { $0.map(\.day.number) } == [[100], [102, 103]])
    #expect(TrendGeometry.runs(points([.nan, nil])).isEmpty)
  }

  // The plot spans x 50...190 (46 + 4 to 194 − 4) and y 110...10; values 0...100 give 1 unit of height each.
  @Test("lines and bands of a chart are where hand calculation puts them")
  func geometry() {
    let days = points([40, 60, 90])
    let plot = plot(days, target: 100)
    #expect(plot.axis.upper == 100)
    #expect(plot.line(days).text == "M50 70L120 50L190 20")
    #expect(plot.band(days).text == "M50 60L120 40L190 10L190 30L120 60L50 80Z")
  }

  @Test("a missing bound extends to the edge of the drawing, and a point without bounds interrupts the band")
  func openBounds() {
    var days = points([40, 60, 90])
    days[0].estimate.high = nil
    days[1].estimate.low = nil
    days[1].estimate.high = nil
    #expect(plot(days, target: 100).band(days).text == "M48 10L52 10L52 80L48 80ZM188 10L192 10L192 30L188 30Z")
  }

  @Test("a chart of one day has its point in the middle")
  func oneDay() { #expect(plot(points([40])).x(CalendarDay(number: 100)) == 120) }

  @Test("a point of several days is in their middle, and a missing one interrupts the line")
  func steps() {
    let weeks = [(100, 3), (103, 7), (110, 7), (124, 7)].map { day, days in
      TrendPoint(day: CalendarDay(number: day), days: days, estimate: Estimate(value: 50), n: 1)
    }
    let plot = plot(weeks)
    #expect(plot.firstDay == 100 && plot.lastDay == 130)
    #expect(weeks.map { ((plot.x($0) - 50) / 140 * 30).rounded() } == [1, 6, 13, 27])
    #expect(TrendGeometry.runs(weeks).map(\.count) == [3, 1])
    let words = TimeStepWords(weeks)
    #expect(
      words.by == "by week" && words.head(weeks[0]) == "1970-04-11 (3 days)" && words.head(weeks[1]) == "1970-04-14")
    #expect(ChartDateLabel.span(weeks[1], besides: 1970) == "Apr 14 to Apr 20")
    #expect(ChartDateLabel.span(weeks[1], besides: 1971) == "Apr 14, 1970 to Apr 20, 1970")
    #expect(TimeStepWords(days: 14).heading == "In steps of 14 days" && TimeStepWords(days: 1).by == "by day")
  }

  @Test("a point of a week can be hovered over on all its days, and names them")
  func hover() throws {
    let weeks = [0, 7].map { first in
      TrendPoint(
        day: CalendarDay(iso: "2026-11-07")! + first, days: 7, estimate: Estimate(value: 50, low: 40, high: 60), n: 9)
    }
    let line = TrendChart.Line(name: "p90", style: "first", points: weeks)
    let columns = try HTMLParser.parse(
      markup { $0.write(HoverColumns(lines: [line], plot: plot(weeks), unit: .milliseconds)) }
    ).all("rect")
    // 14 days are 13 steps of 140 ÷ 13 = 10.77: a week is seven of them.
    #expect(columns.map { $0["width"] } == ["75.38", "75.38"])
    let titles = columns.flatMap { $0.all("title") }.flatMap(\.children).compactMap {
      if case .text(let text) = $0 { text } else { nil }
    }
    #expect(titles.first == "Nov 7 to Nov 13: p90 50\u{A0}ms (40–60\u{A0}ms), n 9")
  }

  @Test("labels at the ends of lines are moved apart inside the drawing")
  func endLabels() {
    #expect(EndLabels.apart([10, 12, 50], by: 13, within: 0...100) == [10, 23, 50])
    #expect(EndLabels.apart([90, 95, 99], by: 13, within: 0...100) == [74, 87, 100])
    #expect(EndLabels.apart([], by: 13, within: 0...100).isEmpty)
  }

  @Test("bars are adjacent, a gap between buckets takes one position, and a value is placed in proportion")
  func bars() {
    let bars = [
      DistributionBar(low: 0, high: 100, count: 3), DistributionBar(low: 100, high: 250, count: 1),
      DistributionBar(low: 9000, high: nil, count: 1),
    ]
    let scale = DistributionScale(bars, frame: frame)
    #expect(scale.slots.map(\.bar) == [0, 1, nil, 2])
    #expect(scale.slotWidth == 37)
    #expect(scale.x(0) == 46)
    #expect(scale.x(50) == 64.5)
    #expect(scale.x(250) == 120)
    #expect(scale.x(9000) == 157)
    #expect(scale.x(9001) == nil)
  }
}
