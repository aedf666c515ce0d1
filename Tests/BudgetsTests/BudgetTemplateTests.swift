import Testing

@testable import Analysis
@testable import Core

@Suite("The file that init writes")
struct BudgetTemplateTests {
  @Test("lint accepts the file that init writes, with all defaults and advice", arguments: [nil, "com.example.shop"])
  func lint(app: String?) throws {
    let text = BudgetTemplate.text(app: app)
    let lint = BudgetLint(text, fileName: "budgets.yaml")
    #expect(lint.text == [])
    #expect(lint.file.app == app)
    #expect(lint.file.budgets.map(\.text) == DefaultBudgets.all.map(\.text))
    for budget in DefaultBudgets.all {
      let metric = try #require(Catalogue.metric(named: budget.metric))
      #expect(text.contains("  # \(metric.title)\n"))
      if let advice = metric.advice { #expect(text.contains("  # If it breaks: \(advice)\n  - \(budget.text)\n")) }
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.unicodeScalars.count <= 120 })
  }

  @Test("the file that budgets init writes gives the default budgets")
  func effective() throws {
    let file = try BudgetFile.parse(BudgetTemplate.text(app: nil), fileName: "budgets.yaml")
    #expect(Budget.effective(file: file) == DefaultBudgets.all)
  }
}
