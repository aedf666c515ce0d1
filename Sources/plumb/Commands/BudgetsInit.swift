import ArgumentParser
import Budgets
import Foundation

/// `plumb budgets init`
struct BudgetsInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a budget file with every default, each with a comment.",
    discussion: """
      Example:
        plumb budgets init --app com.example.shop
        plumb budgets init --out - | less
      """)

  @Option(help: "The bundle identifier the file is for; any app when it is left out.")
  var app: String?

  @Option(help: "The file to write; - is standard output.")
  var out = "budgets.yaml"

  @Flag(help: "Overwrite a file that exists.")
  var force = false

  func validate() throws {
    if let app, !BudgetFile.isBundleID(app) {
      throw ValidationError("--app: expected a bundle identifier such as com.example.shop, found \"\(app)\"")
    }
  }

  func run() throws {
    let text = Data(BudgetTemplate.text(app: app).utf8)
    guard out != "-" else { return Console.print(Array(text)) }
    let options: Data.WritingOptions = force ? [.atomic] : [.withoutOverwriting]
    do {
      try text.write(to: URL(fileURLWithPath: out), options: options)
    } catch let error as CocoaError where error.code == .fileWriteFileExists {
      throw ValidationError("\(out) exists. --force overwrites it, --out names another file.")
    } catch {
      Console.complain("\(out) cannot be written: \(error.localizedDescription)")
      throw ExitCode(1)
    }
    Console.print("\(out): \(DefaultBudgets.all.count) budgets. `plumb check --budgets \(out)` judges by them.")
  }
}
