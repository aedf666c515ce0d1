import App
import ArgumentParser
import Core
import Storage
import Web

/// The command `plumb token`: manages tokens.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Add, list or remove API tokens.",
    discussion: "Example:\n  plumb token add grafana", subcommands: [Add.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a token and print it.",
      discussion: """
        Example:
          plumb token add triage --scope read,edit --app com.example.shop

        The token is printed once and stored as a hash.
        """)

    @Argument(help: "A name for the token.")
    var name: String

    @Flag(help: "Allow symbol uploads only; the same as --scope upload.")
    var uploads = false

    @Flag(help: "Allow `plumb ingest`, which receives the folder's secret; the same as --scope node.")
    var node = false

    @Flag(help: "Allow `plumb serve --standby-of`, which copies everything; the same as --scope standby.")
    var standby = false

    @Option(
      help: """
        The scopes, separated by commas: read, upload (symbols), edit (groups), delete, admin, lab (performance tests); \
        or node or standby alone. (default: read)
        """)
    var scope: String?

    @Option(help: "Only this app. Repeat the option for several apps. (default: all apps)")
    var app: [String] = []

    @Option(help: "When the token expires: 90d, or 2027-01-01T00:00:00Z. (default: never)")
    var expires: String?

    @OptionGroup var folder: FolderOptions

    private var rights: AccessRights? {
      scope.map(AccessRights.init(list:)) ?? (uploads ? .upload : node ? .relay : standby ? .replicate : .read)
    }

    func validate() throws {
      guard !uploads || scope == nil else {
        throw ValidationError("--uploads means --scope upload: give only one of them.")
      }
      guard !node || (scope == nil && !uploads) else {
        throw ValidationError("--node means --scope node: give it without --scope and --uploads.")
      }
      guard !standby || (scope == nil && !uploads && !node) else {
        throw ValidationError("--standby means --scope standby: give it without --scope, --uploads and --node.")
      }
      guard let rights else {
        let names = AccessRights.named.map(\.name).joined(separator: ", ")
        throw ValidationError("--scope: expected one or more of \(names), found \"\(scope ?? "")\".")
      }
      guard rights.isDisjoint(with: [.relay, .replicate]) || ([.relay, .replicate].contains(rights) && app.isEmpty)
      else {
        throw ValidationError(
          "The scopes node and standby cover all apps: give them without other scopes and without --app.")
      }
      guard app.isEmpty || rights.isDisjoint(with: [.upload, .administer]) else {
        throw ValidationError("--app cannot limit the scopes upload and admin, which cover all apps: leave one out.")
      }
      _ = try expiry(at: WallClock.now())
    }

    func run() throws {
      let installation = try Installation.creating(try folder.path())
      let now = WallClock.now()
      let text = KeyGenerator.readToken()
      guard let hash = TokenHash.of(text) else { throw UserFacingError("The token could not be created.") }
      _ = try installation.control.addToken(
        AccessToken(
          id: 0, name: name, hash: hash, rights: rights ?? .read,
          apps: app.isEmpty ? nil : Set(try app.map { try installation.app($0).id }), created: now,
          expires: try expiry(at: now)))
      Console.print(text)
    }

    private func expiry(at now: Timestamp) throws -> Timestamp? {
      guard let expires else { return nil }
      let span = DurationSetting(expires).map { Timestamp(milliseconds: now.milliseconds + $0.milliseconds) }
      guard let time = span ?? Timestamp(iso: expires), time > now else {
        throw ValidationError(
          "--expires: expected a future time such as 90d or 2027-01-01T00:00:00Z, found \"\(expires)\".")
      }
      return time
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the tokens with their scopes and last use.",
      discussion: "Example:\n  plumb token list --json")

    @Flag(help: "Print JSON, one token per line.")
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
      // Scripts rely on these words for tokens with one scope.
      let rights = token.rights == .read ? "reads" : token.rights == .upload ? "uploads" : token.rights.list
      let scope = apps.map { "  for " + ($0.isEmpty ? "removed apps" : $0.joined(separator: ", ")) } ?? ""
      let state = token.isValid(at: WallClock.now()) ? "until" : "expired"
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
