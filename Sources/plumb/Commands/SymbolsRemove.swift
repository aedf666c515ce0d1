import App
import ArgumentParser
import Symbols

/// `plumb symbols remove`
struct SymbolsRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the symbols of one binary.",
    discussion: "Example:\n  plumb symbols remove 4C4C443A-5555-3144-A170-E8FD87173FF7")

  @Argument(help: "The UUID, as `plumb symbols list` shows it.")
  var uuid: String

  @OptionGroup var folder: FolderOptions

  func run() throws {
    guard let uuid = UUIDText.canonical(uuid) else {
      throw ValidationError("Expected a UUID such as 4C4C443A-5555-3144-A170-E8FD87173FF7, found \(uuid).")
    }
    let symbols = try Installation.existing(try folder.path()).symbols(try folder.settings())
    guard symbols.remove(uuid: uuid) else { throw Failure("There are no symbols of \(UUIDText.dashed(uuid)).") }
    Console.print("removed \(UUIDText.dashed(uuid))")
  }
}
