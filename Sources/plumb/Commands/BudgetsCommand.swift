import ArgumentParser

/// `plumb budgets`
struct BudgetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "budgets",
    abstract: "Write a budget file, or check one.",
    discussion: """
      Example:
        plumb budgets init --app com.example.shop
        plumb budgets lint budgets.yaml
      """,
    subcommands: [BudgetsInit.self, BudgetsLint.self])
}
