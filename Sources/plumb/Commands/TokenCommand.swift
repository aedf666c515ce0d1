import App
import ArgumentParser
import Core
import Storage
import Web

/// The command `plumb token`: manages tokens.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Tokens with which programs may read, decide, delete, or upload symbols.",
    discussion: "Example:\n  plumb token add grafana", subcommands: [Add.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token. It is shown once and stored hashed.",
      discussion: """
        Example:
          plumb token add grafana
          plumb token add ci --uploads
          plumb token add ingest-1 --node
          plumb token add triage --scope read,edit --app com.example.shop --expires 90d
        """)

    @Argument(help: "What you want to call it.")
    var name: String

    @Flag(help: "A token that uploads symbols and cannot read: --scope upload.")
    var uploads = false

    @Flag(help: "A token for `plumb ingest`, which gets the folder's secret: --scope node.")
    var node = false

    @Option(
      help:
        "What it allows, with commas: read, upload (symbols), edit (groups), delete, admin; or node. (default: read)")
    var scope: String?

    @Option(help: "Only for this app; may be given several times. (default: all apps)")
    var app: [String] = []

    @Option(help: "When it ends: 90d, or 2027-01-01T00:00:00Z. (default: never)")
    var expires: String?

    @OptionGroup var folder: FolderOptions

    private var rights: AccessRights? {
      scope.map(AccessRights.init(list:)) ?? (uploads ? .upload : node ? .relay : .read)
    }

    func validate() throws {
      guard !uploads || scope == nil else { throw ValidationError("--uploads is --scope upload; give one of them.") }
      guard !node || (scope == nil && !uploads) else {
        throw ValidationError("--node is --scope node; give one of them, without --uploads.")
      }
      guard let rights else {
        throw ValidationError("--scope: one or more of \(AccessRights.named.map(\.name).joined(separator: ", ")).")
      }
      guard !rights.contains(.relay) || (rights == .relay && app.isEmpty) else {
        throw ValidationError("node: such a token is an ingest node's for every app, and allows nothing else.")
      }
      guard app.isEmpty || rights.isDisjoint(with: [.upload, .administer]) else {
        throw ValidationError("--app: symbols and the audit log belong to no app; leave out upload, admin or --app.")
      }
      _ = try expiry(at: WallClock.now())
    }

    func run() throws {
      let installation = try Installation.creating(try folder.path())
      let now = WallClock.now()
      let text = KeyGenerator.readToken()
      guard let hash = TokenHash.of(text) else { throw UserFacingError("The token could not be made.") }
      _ = try installation.control.addToken(
        AccessToken(
          id: 0, name: name, hash: hash, rights: rights ?? .read,
          apps: app.isEmpty ? nil : Set(try app.map { try installation.app($0).id }), created: now,
          expires: try expiry(at: now)))
      Console.print(text)
    }

    private func expiry(at now: Timestamp) throws -> Timestamp? {
      guard let expires else { return nil }
      let span = TimeSpan(expires).map { Timestamp(milliseconds: now.milliseconds + $0.milliseconds) }
      guard let time = span ?? Timestamp(iso: expires), time > now else {
        throw ValidationError(
          "--expires: expected a time to come such as 90d or 2027-01-01T00:00:00Z, found \(expires).")
      }
      return time
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the tokens, what they allow and when they were last used.",
      discussion: "Example:\n  plumb token list --json")

    @Flag(help: "As JSON, one token a line.")
    var json = false

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let installation = try Installation.existing(try folder.path())
      let names = try installation.appNames()
      for token in try installation.control.tokens() {
        let apps = token.apps?.sorted().map { names[$0] ?? "app \($0)" }
        Console.print(json ? Self.json(token, apps) : Self.line(token, apps))
      }
    }

    private static func line(_ token: AccessToken, _ apps: [String]?) -> [UInt8] {
      // The words of tokens with one right, as they always were.
      let rights = token.rights == .read ? "reads" : token.rights == .upload ? "uploads" : token.rights.list
      let scope = apps.map { "  for " + ($0.isEmpty ? "apps that were removed" : $0.joined(separator: ", ")) } ?? ""
      let state = token.isValid(at: WallClock.now()) ? "until" : "ended"
      let end = token.expires.map { "  \(state) \($0.iso)" } ?? ""
      return Array(
        """
        \(token.name)  \(rights)\(scope)  since \(token.created.iso)\(end)  last used \
        \(token.lastUsed?.iso ?? "never")\n
        """.utf8)
    }

    private static func json(_ token: AccessToken, _ apps: [String]?) -> [UInt8] {
      let text = JSONOutput.object([
        ("name", .string(token.name)),
        ("scope", .array(token.rights.list.split(separator: ",").map { .string(String($0)) })),
        ("apps", apps.map { .array($0.map(JSONOutput.string)) } ?? .null), ("created", .string(token.created.iso)),
        ("expires", .optional(token.expires?.iso)), ("last_used", .optional(token.lastUsed?.iso)),
      ])
      return text.encoded() + [UInt8(ascii: "\n")]
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
