import Access
import App
import ArgumentParser
import Storage
import Telemetry

/// The command `plumb token`: manages read and upload tokens.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Tokens with which programs may read, or upload symbols.",
    discussion: "Example:\n  plumb token add grafana", subcommands: [Add.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token. It is shown once and stored hashed.",
      discussion: "Example:\n  plumb token add grafana\n  plumb token add ci --uploads")

    @Argument(help: "What you want to call it.")
    var name: String

    @Flag(help: "A token that uploads symbols and cannot read. Without it, one that reads and cannot upload.")
    var uploads = false

    @Flag(help: "A token that deletes data (docs/deleting.md), and can neither read nor upload.")
    var deletes = false

    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard !uploads || !deletes else { throw ValidationError("A token has one right: --uploads or --deletes.") }
    }

    func run() throws {
      let installation = try Installation.creating(try folder.path())
      let token = KeyGenerator.readToken()
      guard let hash = TokenHash.of(token) else { throw UserFacingError("The token could not be made.") }
      _ = try installation.control.addToken(
        name: name, hash: hash, right: deletes ? .delete : uploads ? .upload : .read, at: WallClock.now())
      Console.print(token)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the tokens.", discussion: "Example:\n  plumb token list")

    @OptionGroup var folder: FolderOptions

    func run() throws {
      for token in try Installation.existing(try folder.path()).control.tokens() {
        let right = token.permits(.upload) ? "uploads" : token.permits(.delete) ? "deletes" : "reads"
        Console.print(
          "\(token.name)  \(right)  since \(token.created.iso)  last used \(token.lastUsed?.iso ?? "never")")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a token.", discussion: "Example:\n  plumb token remove grafana")

    @Argument(help: "The token's name.")
    var name: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).control.removeToken(named: name)
      Console.print("removed \(name)")
    }
  }
}
