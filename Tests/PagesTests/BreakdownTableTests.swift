import Testing

@testable import Analysis
@testable import Core
@testable import Web

/// A table of parts that has more rows than a page can carry.
@Suite struct BreakdownTableTests {
  private func table(_ count: Int, broken: Set<Int> = []) -> String {
    let rows = (0..<count).map { number in
      Breakdown(
        key: "model-\(number).", title: "model-\(number).", report: Fleet.metricPage.report,
        verdict: broken.contains(number) ? .broken : .within)
    }
    let layout = Layout(
      page: .metric(app: "com.example.shop", name: "launch.first_draw"), title: "", context: PageContext(),
      asOf: Fleet.asOf)
    let page = layout.render { html in
      html.write(
        BreakdownTable(
          heading: "By model", dimension: "Model", rows: rows, direction: .lower, source: layout.links.origin,
          links: layout.links))
    }
    return String(decoding: page, as: UTF8.self)
  }

  @Test("a breakdown of fifteen rows shows all of them")
  func few() {
    let text = table(15)
    #expect((0..<15).allSatisfy { text.contains("model-\($0).") } && !text.contains("in the data"))
  }

  @Test("a breakdown of more than fifteen rows shows the broken ones, and the number of the others with a link")
  func many() {
    let text = table(50, broken: [3, 31])
    #expect((0..<15).allSatisfy { text.contains("model-\($0).") } && text.contains("model-31."))
    #expect(!text.contains("model-15.") && !text.contains("model-49."))
    #expect(text.contains("34 more rows are in the data: "))
    #expect(table(16).contains("1 more row is in the data: "))
  }
}
