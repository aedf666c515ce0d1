import Foundation
import TestSupport
import Testing

/// `Benchmarks/results.json` has every figure of `make bench`. The tables of docs/performance.md show them, and other
/// documents quote them with a mark: `122 MB<!-- figure: fleet.peak -->`.
@Suite("Figures of make bench")
struct FigureTests {
  private struct Results: Decodable {
    let loads: [Row]
    let growth: [Row]
    var rows: [Row] { loads + growth }
  }

  private struct Row: Decodable {
    let name: String
    let title: String
    let date: String
    let commit: String
    let machine: String
    let figures: [Figure]
  }

  private struct Figure: Decodable {
    let name: String
    let value: Double?
    let unit: String
    let digits: Int
    let text: String

    /// The number as documents show it: `18,514` or `0.233`.
    var number: String {
      let plain = String(format: "%.\(digits)f", value ?? 0)
      let parts = plain.split(separator: ".", maxSplits: 1)
      var whole = String(parts[0])
      var index = whole.count - 3
      while index > 0 {
        whole.insert(",", at: whole.index(whole.startIndex, offsetBy: index))
        index -= 3
      }
      return ([whole] + parts.dropFirst().map(String.init)).joined(separator: ".")
    }
  }

  private let results: Results
  private let page: String

  init() throws {
    results = try JSONDecoder().decode(Results.self, from: Data(contentsOf: Checkout.url("Benchmarks/results.json")))
    page = try Checkout.text("docs/performance.md")
  }

  @Test("every row of the results has its date, commit and machine, and names are unique")
  func rows() {
    var names: Set<String> = []
    for row in results.rows {
      #expect(row.date.wholeMatch(of: /20\d\d-\d\d-\d\d/) != nil && !row.machine.isEmpty, "\(row.name)")
      #expect(row.commit.wholeMatch(of: /[0-9a-f]{8,40}(?:-dirty)?/) != nil, "\(row.name): \(row.commit)")
      #expect(Set(row.figures.map(\.name)).count == row.figures.count && names.insert(row.name).inserted, "\(row.name)")
    }
    #expect(results.loads.count > 20 && results.growth.count == 6)
  }

  @Test(
    "the tables of docs/performance.md show the figures of the results and no others", arguments: ["loads", "growth"])
  func tables(name: String) throws {
    let rows = name == "loads" ? results.loads : results.growth
    let parts = page.components(separatedBy: "<!-- \(name) -->")
    let table = try #require(parts.last?.components(separatedBy: "<!-- /\(name) -->").first)
    let lines = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
    #expect(lines.count == rows.count, "docs/performance.md and Benchmarks/results.json have different rows")
    for (line, row) in zip(lines, rows) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.first == row.title, "docs/performance.md has another row than \(row.title)")
      var rest = line.dropFirst(row.title.count + 2)
      #expect(rest.contains(row.date), "\(row.title): not of \(row.date)")
      for figure in row.figures {
        let shown = figure.value == nil ? figure.text : figure.text.replacing("{}", with: figure.number)
        #expect(rest.contains(shown), "\(row.title): \(figure.name) is \(shown) in Benchmarks/results.json")
        if let range = rest.range(of: shown) { rest = rest[..<range.lowerBound] + rest[range.upperBound...] }
      }
      // What remains are targets, in brackets, and the date.
      let others = rest.replacing(/\([≤≥][^)]*\)/, with: "").replacing(row.date, with: "").filter(\.isNumber)
      #expect(others.isEmpty, "\(row.title): numbers that Benchmarks/results.json does not have: \(rest)")
    }
  }

  @Test("a figure that a document quotes has the value of the results")
  func quotes() throws {
    let figures = Dictionary(
      results.rows.flatMap { row in row.figures.map { ("\(row.name).\($0.name)", $0) } }, uniquingKeysWith: { $1 })
    let found = FileManager.default.enumerator(atPath: Checkout.path("docs"))?.compactMap { $0 as? String } ?? []
    var count = 0
    for name in ["README.md", "SECURITY.md"] + found.filter({ $0.hasSuffix(".md") }).map({ "docs/" + $0 }) {
      let text = try Checkout.text(name)
      let marks = text.matches(of: /<!-- figure: (\S+) -->/).count
      let quotes = text.matches(of: /([\d,.]+)(?: (\S+?))? ?<!-- figure: (\S+) -->/)
      #expect(quotes.count == marks, "\(name): a mark stands behind a number with its unit, or without")
      for quote in quotes {
        count += 1
        guard let figure = figures[String(quote.3)] else {
          Issue.record("\(name): Benchmarks/results.json has no figure \(quote.3)")
          continue
        }
        #expect(quote.1 == figure.number, "\(name): \(quote.3) is \(figure.number) \(figure.unit), not \(quote.1)")
        if let unit = quote.2 { #expect(unit == figure.unit, "\(name): the unit of \(quote.3) is \(figure.unit)") }
      }
    }
    #expect(count >= 10, "the quoted figures were not found")
  }
}
