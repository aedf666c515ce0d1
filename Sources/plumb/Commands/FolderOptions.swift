import App
import ArgumentParser

/// The flags that every command has: data folder and settings file.
struct FolderOptions: ParsableArguments {
  @Option(help: "The data folder. (PLUMB_DATA; default: ./plumb-data)")
  var data: String?

  @Option(help: "The settings file. (default: plumb.yaml, if there is one)")
  var config: String?

  func settings() throws -> Settings { try Settings(path: config) }

  /// The path of the data folder.
  func path() throws -> String { try settings().value("data", flag: data) ?? "plumb-data" }
}
