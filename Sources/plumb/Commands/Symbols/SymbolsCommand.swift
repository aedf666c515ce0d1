import App
import ArgumentParser
import Core
import Foundation
import Storage
import Symbols

/// The command `plumb symbols`: manages uploaded symbols.
struct SymbolsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols", abstract: "Upload, list and remove symbols (dSYMs).",
    discussion: """
      Example:
        plumb symbols upload Shop.xcarchive --server https://plumb.example.com
      """, subcommands: [SymbolsUpload.self, SymbolsList.self, SymbolsRemove.self])
}

/// The command `plumb symbols list`: lists uploaded and missing symbols.
struct SymbolsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List uploaded symbols and the binaries without symbols.",
    discussion: "Example:\n  plumb symbols list --missing --app com.example.shop")

  @Option(help: "The app's bundle identifier. (default: all apps)")
  var app: String?

  @Flag(help: "Only the binaries without symbols, by build.")
  var missing = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let settings = try folder.settings()
    let installation = try Installation.existing(try folder.path())
    let symbols = try installation.symbols(settings)
    let apps = try app.map { [try installation.app($0)] } ?? installation.control.apps()
    if !missing { show(symbols.all(), limit: symbols.limit) }
    var isComplete = true
    for app in apps {
      let seen = try installation.imagesSeen(of: app)
      for build in SymbolCoverage.of(seen, hasSymbols: { symbols.symbols(uuid: $0)?.isSystem == false }) {
        if missing, build.missing.isEmpty { continue }
        isComplete = false
        Console.print("\(app.bundleID) \(build.title)")
        for image in build.missing { Console.print("  missing \(image.name) \(UUIDText.dashed(image.uuid))") }
      }
    }
    if missing, isComplete { Console.print("No symbols are missing.") }
  }

  private func show(_ all: [StoredSymbols], limit: Int) {
    for one in all {
      let trouble = one.trouble.map { "  NOT READABLE: \($0)" } ?? ""
      Console.print(
        "\(UUIDText.dashed(one.uuid))  \(one.architecture)  \(one.name)  \(Self.megabytes(one.size))  uploaded "
          + "\(one.uploaded.iso)\(trouble)")
    }
    let total = all.reduce(0) { $0 + $1.size }
    Console.print("\(all.count) files, \(Self.megabytes(total)) of \(Self.megabytes(limit)).")
  }

  private static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}

/// The command `plumb symbols remove`: removes the symbols of one binary.
struct SymbolsRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the symbols of one binary.",
    discussion: "Example:\n  plumb symbols remove 4C4C443A-5555-3144-A170-E8FD87173FF7")

  @Argument(help: "The UUID, as in `plumb symbols list`.")
  var uuid: String

  @OptionGroup var folder: FolderOptions

  func run() throws {
    guard let uuid = UUIDText.canonical(uuid) else {
      throw ValidationError("<uuid>: expected a UUID such as 4C4C443A-5555-3144-A170-E8FD87173FF7, found \"\(uuid)\".")
    }
    let symbols = try Installation.existing(try folder.path()).symbols(try folder.settings())
    guard symbols.remove(uuid: uuid) else {
      throw UserFacingError("There are no symbols for \(UUIDText.dashed(uuid)). `plumb symbols list` lists them.")
    }
    Console.print("removed \(UUIDText.dashed(uuid))")
  }
}
