import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The lab on a metric's page")
struct LabSectionTests {
  private func difference(_ value: Double, low: Double? = nil, high: Double? = nil) -> ComparedDifference {
    ComparedDifference(value: value, low: low ?? value - 0.02, high: high ?? value + 0.02, pValue: 0.01, strata: 1)
  }

  /// Pairs of releases 1.0 to 1.1 and so on, with the changes in lab and field.
  private func page(_ changes: [(lab: Double, field: Double?)]) throws -> Element {
    var model = Fleet.metricPage
    model.lab = LabAndField(
      pairs: changes.enumerated().map { number, change in
        LabPair(
          base: "1.\(number)", head: "1.\(number + 1)", lab: difference(change.lab), baseRuns: 4, headRuns: 5,
          field: change.field.map { .known(difference($0)) } ?? .unknown("no day has data of both releases"))
      }, releases: (0...changes.count).map { "1.\($0)" })
    return try HTMLPage.parse(MetricView.render(model, PageContext()))
  }

  @Test("the newest pair of releases is a sentence with both intervals, and few pairs give no verdict on the lab")
  func newest() throws {
    let page = try self.page([(0.1, nil), (0.03, 0.09)])
    let section = try page.one("section#lab")
    #expect(
      try section.one("p.summary").text
        == "1.2 against 1.1: lab +3.0 % (+1.0 to +5.0 %), field +9.0 % (+7.0 to +11.0 %).")
    #expect(
      try section.one("p.meta").text
        == "How well the lab foretells the field is shown after 5 pairs of releases; 1 so far.")
    #expect(!section.has("svg"))
    #expect(
      section.all("tbody tr").count == 2
        && section.all("tbody tr")[1].texts("td").last
          == "not comparable"
    )
    #expect(
      try self.page([(0.1, nil)]).one("section#lab p.summary").text
        .hasSuffix("field not comparable (no day has data of both releases)."))
    #expect(section.links("p.data a").contains { $0.contains("table=lab") || $0.contains("lab") })
    let unbounded = difference(0.03, low: -.infinity, high: .infinity)
    #expect(unbounded.relativeText == "+3.00\u{A0}%")
    var none = Fleet.metricPage
    none.lab = LabAndField(releases: ["1.0"])
    #expect(try HTMLPage.parse(MetricView.render(none, PageContext())).one("section#lab").text.contains("ran on 1.0"))
    #expect(try !HTMLPage.parse(MetricView.render(Fleet.metricPage, PageContext())).has("section#lab"))
  }

  @Test("after five pairs the page says how often the lab was right, and draws a dot for each pair")
  func record() throws {
    let right = try self.page((0..<7).map { _ in (0.1, 0.2) }).one("section#lab")
    #expect(try right.one("p.meta").text.hasPrefix("In 7 of 7 pairs of releases, the field changed in the direction"))
    #expect(try right.one("p.meta").text.hasSuffix("The lab foretells this metric."))
    #expect(right.all("svg circle").count == 7 && right.all("svg circle.open").count == 6)
    let half = try self.page((0..<8).map { (0.1, $0.isMultiple(of: 2) ? 0.2 : -0.2) }).one("section#lab")
    #expect(try half.one("p.meta").text.contains("In 4 of 8"))
    #expect(try half.one("p.meta").text.hasSuffix("That could be chance, which is right half the time."))
    // Upwards is a larger value in the field, to the right one in the lab.
    let opposite = try self.page([(-0.1, 0.2), (0.1, -0.2), (0.05, 0.1), (0, 0), (0.1, 0.2)]).one("section#lab")
    let dots = opposite.all("svg circle").map { (Double($0["cx"] ?? "") ?? .nan, Double($0["cy"] ?? "") ?? .nan) }
    #expect(dots[0].0 < dots[3].0 && dots[0].1 < dots[3].1 && dots[1].0 > dots[3].0 && dots[1].1 > dots[3].1)
  }
}
