import App
import ArgumentParser
import Core
import Foundation
import Web

/// The command `plumb explain`: writes what is known about a group into one document.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a group of crashes or hangs in one document.",
    discussion: "Example:\n  plumb explain group 3f2a9c01d4e5b678 --app com.example.shop",
    subcommands: [Group.self])

  struct Group: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the context of a group as Markdown, for a person or an agent.",
      discussion: """
        Example:
          plumb explain group 3f2a9c01d4e5b678 --app com.example.shop

        The document has at most \(FencedMarkdown.mostTokens) tokens: impact, stack, what changed, releases and \
        devices, samples and similar groups. Text from apps, devices and people is in fenced blocks and marked as data.

        With --repository it also lists the commits between the last version without the group and the first with it. \
        A release is the tag 4.2.0 or v4.2.0. The repository is read on this machine, also with --server.
        """)

    @Argument(help: "The group's id, as in `plumb groups list` and on its page.")
    var group: String

    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "A Git repository of the app on this machine.")
    var repository: String?

    @Option(help: "The release before the commits. (default: the last version without the group)")
    var fromRelease: String?

    @Option(help: "The release with the commits. (default: the first one with the group)")
    var toRelease: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var clock: ClockOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard repository != nil || (fromRelease == nil && toRelease == nil) else {
        throw ValidationError("--from-release and --to-release need --repository.")
      }
    }

    /// The tokens that are left for commits.
    private static let tokensOfCommits = 1_500

    private struct Answer: Decodable {
      let markdown: String
      let tokens: Int
      let introduced: String?
      let versionBefore: String?
    }

    func run() throws {
      let commits = try repository.map { try CommitLog(repository: $0) }
      let source = try APISource.source(server, clock, folder, tokenHint: "plumb token add agent")
      let most = FencedMarkdown.mostTokens
      let tokens = commits == nil ? most : most - Self.tokensOfCommits
      let answer: Answer
      switch try source(["apps", app, "groups", group, "explain"], [(name: "tokens", value: String(tokens))]) {
      case .refused(let reason): throw UserFacingError(reason)
      case .missing:
        throw UserFacingError(
          "There is no group \(group) of \(app). `plumb groups list --app \(app)` lists the groups.")
      case .found(let json):
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        answer = try decoder.decode(Answer.self, from: Data(json))
      }
      guard let commits else { return Console.print(Array(answer.markdown.utf8)) }
      let section = commits.section(
        from: fromRelease ?? answer.versionBefore, to: toRelease ?? answer.introduced)
      let rest = FencedMarkdown([section]).rendered(tokens: most - answer.tokens - 1)
      Console.print(Array("\(answer.markdown)\n\(rest.markdown)".utf8))
    }
  }
}
