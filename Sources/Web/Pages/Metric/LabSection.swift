import Analysis
import Core

/// What performance tests showed of a metric, beside what users' devices show: a sentence on the newest releases, and
/// how well the lab foretold the field.
struct LabSection: Markup {
  var model: LabAndField
  var page: Page
  var metric: Metric
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !model.releases.isEmpty else { return }
    html.element("section", Attribute("id", literal: "lab")) { html in
      html.element("h2", text: "Lab and field")
      guard let newest = model.pairs.last else {
        return html.element("p") { html in
          html.text("Performance tests ran on ")
          html.write(Name(model.releases[model.releases.count - 1]))
          html.text(". There is nothing to compare before they run on another release, on the same runner and devices.")
        }
      }
      html.element("p", .class("summary")) { html in
        html.write(Name(newest.head))
        html.text(" against ")
        html.write(Name(newest.base))
        html.text(
          ": lab \(newest.lab.relativeText), field \(newest.fieldText)"
            + (newest.fieldReason.map { " (\($0))" } ?? "") + ".")
      }
      html.element("p", .class("meta"), text: verdict)
      let known = model.pairs.filter { $0.field != nil }
      if known.count >= LabAndField.fewestPairs {
        html.element("figure", .class("card")) { html in
          html.write(LabChart(title: "Lab and field: \(ShortenedName.text(metric.title))", pairs: known))
          html.element(
            "figcaption",
            text:
              "Each dot is a pair of neighbouring releases; the newest is filled. A lab that foretells the field has "
              + "its dots at the bottom left and at the top right.")
        }
      }
      table(&html)
    }
  }

  /// How well the lab foretold the field, or how many pairs are missing.
  private var verdict: String {
    guard let record = model.record else {
      let known = model.pairs.count { $0.field != nil }
      return "How well the lab foretells the field is shown after \(LabAndField.fewestPairs) pairs of releases; "
        + "\(known) so far."
    }
    let share = Quantity.interval(record.low, record.high, .ratio)
    let sentence =
      "In \(record.right) of \(record.of) pairs of releases, the field changed in the direction that the lab "
      + "had shown (95 % interval \(share))."
    return sentence
      + (record.low > 0.5 ? " The lab foretells this metric." : " That could be chance, which is right half the time.")
  }

  private func table(_ html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "All pairs of releases")
      html.write(
        Table("Changes in the lab and in the field", of: model.pairs.reversed(), style: "lines") {
          Column.head("Release") { $1.write(Name($0.head)) }
          Column("Compared with") { $1.write(Name($0.base)) }.named(nil)
          Column.number("Lab", text: \.lab.relativeText)
          Column.number("Runs") { "\($0.baseRuns) and \($0.headRuns)" }
          Column.number("Field") { $0.fieldText }
        })
      html.write(ChartDataLinks(page: page, table: .lab, links: links))
    }
  }
}

/// Changes in the lab (across) and in the field (upwards), one dot for each pair of releases.
struct LabChart: Markup {
  var title: String
  /// Pairs with a change in the field, the newest last.
  var pairs: [LabPair]

  func write(to html: inout HTMLWriter) {
    let frame = ChartDimensions(width: 320, height: 240, left: 56, right: 16, top: 20, bottom: 36)
    let across = LabAxis(pairs.map(\.lab.value))
    let upwards = LabAxis(pairs.compactMap { $0.field?.value })
    let x = LinearScale(domain: (-across.reach, across.reach), range: (frame.plotLeft, frame.plotRight))
    let y = LinearScale(domain: (-upwards.reach, upwards.reach), range: (frame.plotBottom, frame.plotTop))
    html.element(
      "svg", .class("chart", "square"), Attribute("viewBox", "0 0 \(Int(frame.width)) \(Int(frame.height))"),
      Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: title)
      html.element("desc", text: pairs.map(Self.sentence).joined(separator: "; "))
      html.write(Grid(heights: upwards.ticks.map { y($0) }, frame: frame))
      for tick in upwards.ticks {
        html.write(Label(upwards.label(tick), at: Point(x: frame.plotLeft - 6, y: y(tick) + 4), anchor: "end"))
      }
      for tick in across.ticks {
        html.write(
          Segment(style: "grid", from: Point(x: x(tick), y: frame.plotTop), to: Point(x: x(tick), y: frame.plotBottom)))
        html.write(Label(across.label(tick), at: Point(x: x(tick), y: frame.plotBottom + 15), anchor: "middle"))
      }
      html.write(Label("lab", at: Point(x: frame.plotRight, y: frame.height - 4), anchor: "end"))
      html.write(Label("field", at: Point(x: frame.plotLeft, y: frame.plotTop - 8), anchor: "start"))
      for (index, pair) in pairs.enumerated() {
        guard let field = pair.field else { continue }
        let isNewest = index == pairs.count - 1
        html.element(
          "circle", isNewest ? .class("dot", "first") : .class("dot open", "first"),
          Attribute("cx", x(pair.lab.value)),
          Attribute("cy", y(field.value)), Attribute("r", 4)
        ) { $0.element("title", text: Self.sentence(pair)) }
      }
    }
  }

  private static func sentence(_ pair: LabPair) -> String {
    "\(ShortenedName.text(pair.head)) against \(ShortenedName.text(pair.base)): lab \(pair.lab.relativeText), "
      + "field \(pair.fieldText)"
  }
}

extension LabPair {
  fileprivate var fieldText: String { field?.relativeText ?? "not comparable" }
}

/// An axis of relative changes around 0.
private struct LabAxis {
  let reach: Double
  let ticks: [Double]
  private let step: Double

  init(_ values: [Double]) {
    let most = values.map(\.magnitude).filter(\.isFinite).max() ?? 0
    let largest = most > 0 ? most : 0.01
    step = Ticks.step(0, largest, count: 2)
    reach = (largest / step - 1e-9).rounded(.up) * step
    ticks = Ticks.multiples(of: step, -reach, reach)
  }

  func label(_ tick: Double) -> String {
    let percent = tick * 100
    let number = Decimal.fixed(percent.magnitude, Decimal.decimalsNeeded(step * 100, atMost: 3))
    return tick.magnitude < step / 2 ? "0" : (tick > 0 ? "+" : "−") + number + "\u{A0}%"
  }
}
