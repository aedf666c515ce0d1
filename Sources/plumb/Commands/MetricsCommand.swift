import Analysis
import ArgumentParser
import Core

/// The command `plumb metrics`: lists the metric catalogue.
struct MetricsCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .markdown]

  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "List the metric catalogue with its default budgets.",
    discussion: """
      Example:
        plumb metrics --format markdown > metrics.md
      """)

  @Option(help: "The output format: text or markdown.")
  var format = Format<Self>.text

  func run() {
    Console.print(format.value == .markdown ? CatalogueText.markdown() : CatalogueText.text())
  }
}
