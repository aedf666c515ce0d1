import Foundation
import Testing
import TestSupport

@testable import Analysis

@Suite("The sample budget file")
struct SampleFileTests {
  @Test("the sample budget file is accepted unchanged")
  func sample() throws {
    let yaml = try Checkout.text("deploy/budgets.yaml")
    let file = try BudgetFile.parse(yaml, fileName: "budgets.yaml")
    #expect(file.app == "com.example.shop")
    #expect(file.budgets.map(\.target) == [0.995, 0.998, 2000, 3000, 100, 5, 300_000_000])
    #expect(file.budgets[3].device?.text == "iPhone 12 and older")
  }

  @Test("the budgets in README are accepted unchanged")
  func readme() throws {
    let parts = try Checkout.text("README.md").components(separatedBy: "```yaml\n")
    let yaml = try #require(parts.last?.components(separatedBy: "```").first)
    let file = try BudgetFile.parse(yaml, fileName: "README.md")
    #expect(parts.count == 2 && file.app == "com.example.shop")
    #expect(file.budgets.map(\.target) == [0.995, 2000])
  }
}
