import App
import ArgumentParser
import Core
import Foundation
import Logging
import Storage
import Web

/// The command `plumb delete`: deletes an app or part of its data.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete an app, or part of its data.",
    discussion: """
      Example:
        plumb delete user 7f3c9a --app com.example.shop --dry-run

      Afterwards the numbers are as if the deleted data had never arrived. If the data cannot be separated from stored \
      sums, the command prints the reason and deletes nothing (docs/deleting.md). If a server is using the folder, the \
      server carries out the deletion.

      Exit status: 0 deleted, 1 refused or failed.
      """,
    subcommands: [
      OfApp.self, OfRelease.self, OfDays.self, OfMetric.self, OfLabel.self, OfPayload.self, OfUser.self,
    ])

  struct OfApp: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "app", abstract: "Delete an app and all its data.",
      discussion: "Example:\n  plumb delete app com.example.shop --yes")

    @Argument(help: "The app's bundle identifier.")
    var bundleID: String
    @OptionGroup var options: DeletionOptions

    func run() throws { try options.delete(of: bundleID) { _, _ in .app } }
  }

  struct OfRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "release", abstract: "Delete a version with all its builds, or one build.",
      discussion: "Example:\n  plumb delete release 4.2.0 --app com.example.shop --yes")

    @Argument(help: "A version, or version and build: 4.2.0, '4.2.0 (1234)'.")
    var release: String
    @OptionGroup var part: PartDeletionOptions

    func run() throws { try part.delete { _, _ in .release(release) } }
  }

  struct OfDays: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "days", abstract: "Delete the data of one or more days.",
      discussion: "Example:\n  plumb delete days 2026-11-01 2026-11-03 --app com.example.shop --yes")

    @Argument(help: "The first day in the app's time zone, such as 2026-11-01.", transform: Self.day)
    var from: CalendarDay
    @Argument(help: "The last day. (default: the first day)", transform: Self.day)
    var to: CalendarDay?
    @OptionGroup var part: PartDeletionOptions

    func validate() throws {
      let days = (to ?? from).number - from.number + 1
      guard (1...Self.mostDays).contains(days) else {
        throw ValidationError(
          "The last day must not be before the first day, nor more than \(Self.mostDays - 1) days after it.")
      }
    }

    func run() throws { try part.delete { _, _ in .days(Window(from: from, to: to ?? from)) } }

    /// Ten years, longer than any data is kept.
    private static let mostDays = 3_660

    private static func day(_ text: String) throws -> CalendarDay {
      guard let day = CalendarDay(iso: text) else { throw ValidationError("Expected a day such as 2026-11-01.") }
      return day
    }
  }

  struct OfMetric: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "metric", abstract: "Delete a metric and the rates derived from it.",
      discussion: "Example:\n  plumb delete metric checkout.total --app com.example.shop --yes")

    @Argument(help: "The metric's name.")
    var metric: String
    @OptionGroup var part: PartDeletionOptions

    func run() throws { try part.delete { _, _ in .metric(metric) } }
  }

  struct OfLabel: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "label", abstract: "Delete one label of a metric.",
      discussion: "Example:\n  plumb delete label Cart --metric screen.load --app com.example.shop --yes")

    @Argument(help: "The label: a screen, host or view.")
    var label: String
    @Option(help: "The metric's name.")
    var metric: String
    @OptionGroup var part: PartDeletionOptions

    func run() throws { try part.delete { _, _ in .label(label, metric: metric) } }
  }

  struct OfPayload: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "payload", abstract: "Delete a payload by its Idempotency-Key.",
      discussion: "Example:\n  plumb delete payload 0b9f6c1e-3d20 --app com.example.shop --yes")

    @Argument(help: "The Idempotency-Key that the client sent.")
    var key: String
    @OptionGroup var part: PartDeletionOptions

    func run() throws { try part.delete { .payload($0.hash(key, scope: "receipt \($1.id)")) } }
  }

  struct OfUser: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "user", abstract: "Delete a user's sessions and diagnostics.",
      discussion: """
        Example:
          plumb delete user 7f3c9a --app com.example.shop --yes --statement done.txt

        The id is hashed with the folder's secret, as on ingest. Measurements are not deleted, because they are stored \
        without a user id.
        """)

    @Argument(help: "The user or installation id that the client sent.")
    var user: String
    @OptionGroup var part: PartDeletionOptions

    func run() throws { try part.delete { .user($0.hash(user, scope: "user \($1.id)")) } }
  }
}

/// The app, and the flags of a deletion of part of its data.
struct PartDeletionOptions: ParsableArguments {
  @Option(help: "The app's bundle identifier.")
  var app: String
  @OptionGroup var options: DeletionOptions

  func delete(_ scope: (KeyedIDHash, App) throws -> ErasureScope) throws { try options.delete(of: app, scope) }
}

/// The flags of all deletions.
struct DeletionOptions: ParsableArguments {
  @Flag(name: .customLong("dry-run"), help: "Show what would be deleted, and delete nothing.")
  var isTrial = false

  @Flag(help: "Confirm the deletion. Either --yes or --dry-run is required.")
  var yes = false

  @Option(help: "A file to write the statement to, in addition to standard output.")
  var statement: String?

  @OptionGroup var folder: FolderOptions

  func validate() throws {
    guard isTrial || yes else {
      throw ValidationError("A deletion cannot be undone. Preview it with --dry-run, or confirm it with --yes.")
    }
  }

  func delete(of bundleID: String, _ scope: (KeyedIDHash, App) throws -> ErasureScope) throws {
    let installation = try Installation.existing(try folder.path())
    let app = try installation.app(bundleID)
    let deletion = try CommandDeletion(
      installation, settings: folder.settings(),
      logger: Logger(label: "delete") { StreamLogHandler.standardError(label: $0) })
    defer { deletion.end() }
    let scope = try scope(deletion.identity, app)
    if isTrial {
      Console.print("Would delete \(scope.title):")
      for line in try deletion.trial(scope, of: app) { Console.print("  \(line)") }
      return
    }
    let done = try deletion.run(scope, of: app, by: "plumb delete, user \(NSUserName())") {
      Console.complain("The server that is using this folder carries out the deletion …")
    }
    if done.isRefused {
      Console.complain("Refused: \(done.statement)")
      throw ExitCode.failure
    }
    Console.print(done.statement)
    if let statement { try (done.statement + "\n").write(toFile: statement, atomically: true, encoding: .utf8) }
  }
}
