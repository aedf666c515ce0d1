import ArgumentParser

/// `plumb symbols`
struct SymbolsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols", abstract: "Names of your code for crash reports: upload dSYMs, see what is missing.",
    discussion: """
      Example:
        plumb symbols upload Shop.xcarchive --server https://plumb.example.com --token "$PLUMB_TOKEN"
        plumb symbols list
      """, subcommands: [SymbolsUpload.self, SymbolsList.self, SymbolsRemove.self])
}
