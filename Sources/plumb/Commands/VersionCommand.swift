import App
import ArgumentParser

/// The command `plumb version`: prints what this binary is.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "The version, the commit it was built from, libraries and schemas.",
    discussion: "Example:\n  plumb version\n  plumb version --format json")

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @Option(help: "Output: text or json.")
  var format = Format.text

  func run() {
    switch format {
    case .text: Console.print(BuildVersion.text)
    case .json: Console.print(BuildVersion.json())
    }
  }
}
