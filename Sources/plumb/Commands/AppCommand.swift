import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Storage
import Web

/// The command `plumb app`: manages apps and their ingest keys.
struct AppCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .json]

  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Add, list, change or remove apps, and rotate keys.",
    discussion: "Example:\n  plumb app add com.example.shop",
    subcommands: [Add.self, List.self, Change.self, RotateKey.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an app and print its key and a curl command.",
      discussion: "Example:\n  plumb app add com.example.shop --time-zone Europe/Berlin")

    @Argument(help: "The app's bundle identifier.")
    var bundleID: String

    @Option(name: .customLong("time-zone"), help: "The time zone of the app's days, such as Europe/Berlin.")
    var timeZone = "UTC"

    @Option(help: "Output: text or json.")
    var format = Format<AppCommand>.text

    @OptionGroup var folder: FolderOptions

    func run() throws {
      guard AppTimeZone(name: timeZone) != nil else {
        throw ValidationError("--time-zone: expected a zone such as Europe/Berlin or UTC, found \"\(timeZone)\".")
      }
      // The settings are read before the app is added, so that an error in them stops the command.
      let text = try AppText(folder.settings())
      let installation = try Installation.creating(try folder.path())
      let app = try installation.control.addApp(
        bundleID: bundleID, settings: AppSettings(timeZone: timeZone), key: KeyGenerator.ingestKey(),
        at: WallClock.now())
      text.show(app, format.value)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the apps and their valid keys.", discussion: "Example:\n  plumb app list --format json")

    @Option(help: "Output: text or json.")
    var format = Format<AppCommand>.text

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let text = try AppText(folder.settings())
      for app in try Installation.existing(try folder.path()).apps(nil) { text.show(app, format.value) }
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "settings", abstract: "Show or change the settings of an app.",
      discussion: """
        Example:
          plumb app settings com.example.shop --title Shop --icon AppIcon.png

        Without options, the command prints the settings.
        """)

    @Argument(help: "The app's bundle identifier.")
    var bundleID: String

    @Option(
      name: .customLong("own-binaries"),
      help:
        "The app's own binaries that share a name with Apple's, such as Charts,Network, or \"\" for none.")
    var ownBinaries: String?

    @Option(name: .customLong("time-zone"), help: "The time zone of the app's days from now on.")
    var timeZone: String?

    @Option(
      name: .customLong("exception-text"),
      help: "Whether to keep the free text of exceptions, which may contain user input: keep or drop.")
    var exceptionText: ExceptionText?

    @Option(
      help:
        "The app's name on pages: at most \(AppSettings.longestTitle) characters, or \"\" for its bundle identifier.")
    var title: String?

    @Option(
      help:
        "The app's icon: a PNG file of at most \(AppIcon.mostBytes / 1024) KiB, ideally 180 × 180; \"\" for none."
    )
    var icon: String?

    @Option(
      name: .customLong("ticket-url"),
      help: ArgumentHelp(
        """
        The address that opens a new ticket in your tracker, linked from each group's page; "" for none. Placeholders: \
        \(TicketTemplate.names).
        """, valueName: "template"))
    var ticketURL: String?

    @Option(
      help: ArgumentHelp(
        """
        An attribute to break down the app's data by, such as experiment or region. Repeat the flag for up to \
        \(AppAttribute.mostOfApp) attributes; "" for none. The attributes replace those set before. See \
        docs/attribute.md.
        """, valueName: "name"))
    var attribute: [String] = []

    @OptionGroup var folder: FolderOptions

    enum ExceptionText: String, ExpressibleByArgument, CaseIterable {
      case keep
      case drop
    }

    func run() throws {
      let installation = try Installation.existing(try folder.path())
      let app = try installation.app(bundleID)
      var settings = app.settings
      if let timeZone {
        guard AppTimeZone(name: timeZone) != nil else {
          throw ValidationError("--time-zone: expected a zone such as Europe/Berlin or UTC, found \"\(timeZone)\".")
        }
        settings.timeZone = timeZone
      }
      if let exceptionText { settings.keepsExceptionText = exceptionText == .keep }
      if let ownBinaries {
        let names = ownBinaries.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
        guard names.count <= AppSettings.mostOwnBinaries, names.allSatisfy(AppSettings.isBinaryName) else {
          throw ValidationError(
            "--own-binaries: expected at most \(AppSettings.mostOwnBinaries) file names such as Charts,Network."
          )
        }
        settings.ownBinaries = Set(names).sorted()
      }
      if let title { settings.title = title.isEmpty ? nil : title }
      let png = try icon.flatMap { $0.isEmpty ? nil : try Self.png(at: $0) }
      if let ticketURL {
        do {
          settings.ticketURL = ticketURL.isEmpty ? nil : try TicketTemplate(ticketURL).text
        } catch {
          throw ValidationError("--ticket-url: \(error)")
        }
      }
      if !attribute.isEmpty { settings.attributes = try Self.attributes(attribute) }
      if settings != app.settings { try installation.control.changeSettings(of: app.id, to: settings) }
      if icon != nil { try installation.control.changeIcon(of: app.id, to: png) }
      let hasIcon = icon == nil ? settings.iconTag != nil : png != nil
      Console.print("title: \(settings.title ?? "not set")")
      Console.print("icon: \(hasIcon ? "PNG" : "not set")")
      Console.print("time zone: \(settings.timeZone)")
      Console.print("exception text: \(settings.keepsExceptionText ? "keep" : "drop")")
      Console.print(
        "own binaries: \(settings.ownBinaries.isEmpty ? "not set" : settings.ownBinaries.joined(separator: ", "))")
      Console.print("ticket URL: \(settings.ticketURL ?? "not set")")
      Console.print(
        "attribute: \(settings.attributes.isEmpty ? "not set" : settings.attributes.joined(separator: ", "))")
    }

    /// The names of the app's attributes, sorted; none if the flag has only an empty name.
    private static func attributes(_ names: [String]) throws -> [String] {
      if names == [""] { return [] }
      for name in names where !AppAttribute.isName(name) {
        throw ValidationError(
          """
          --attribute: expected a name such as experiment, found "\(name)". Use at most \
          \(AppAttribute.longestName) letters, digits, dots, hyphens and underscores, starting with a letter.
          """)
      }
      if let name = names.first(where: ReportQuery.filterNames.contains) {
        throw ValidationError("--attribute: \(name) is the name of a filter. Choose another name, such as my-\(name).")
      }
      let names = Set(names).sorted()
      guard names.count <= AppAttribute.mostOfApp else {
        throw ValidationError(
          "--attribute: expected at most \(AppAttribute.mostOfApp) attributes, found \(names.count).")
      }
      return names
    }

    /// Reads an icon, at most one byte beyond the size limit, so that a large file does not fill the memory.
    private static func png(at path: String) throws -> [UInt8] {
      guard let file = FileHandle(forReadingAtPath: path) else {
        throw ValidationError("--icon: \(path) cannot be read.")
      }
      let bytes = [UInt8](try file.read(upToCount: AppIcon.mostBytes + 1) ?? Data())
      if let fault = AppIcon.fault(of: bytes) { throw ValidationError("--icon \(path): \(fault)") }
      return bytes
    }
  }

  struct RotateKey: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give an app a new key and let the old one expire.",
      discussion: "Example:\n  plumb app rotate-key com.example.shop --overlap-days 30")

    @Argument(help: "The app's bundle identifier.")
    var bundleID: String

    @Option(
      name: .customLong("overlap-days"),
      help: "The days that the old key stays valid, for users who update the app late.")
    var overlapDays = IngestKey.defaultOverlapDays

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let text = try AppText(folder.settings())
      let installation = try Installation.existing(try folder.path())
      let app = try installation.control.rotateKey(
        of: try installation.app(bundleID).id, to: KeyGenerator.ingestKey(), at: WallClock.now(),
        overlapDays: overlapDays)
      text.show(app, .text)
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove an app and its keys, but keep its data.",
      discussion: """
        Example:
          plumb app remove com.example.shop --yes

        The data stays until it expires. `plumb delete app` deletes it at once.
        """)

    @Argument(help: "The app's bundle identifier.")
    var bundleID: String

    @Flag(help: "Confirm the removal.")
    var yes = false

    @OptionGroup var folder: FolderOptions

    func run() throws {
      guard yes else {
        throw ValidationError("Once \(bundleID) is removed, its payloads are refused. Confirm with --yes.")
      }
      let installation = try Installation.existing(try folder.path())
      try installation.control.removeApp(try installation.app(bundleID).id)
      Console.print("removed \(bundleID)")
    }
  }
}

/// Prints an app's key, its Sentry DSN and a `curl` line.
struct AppText {
  private let url: String

  private let now = WallClock.now()

  init(_ settings: Settings) throws { url = try settings.serverURL() }

  /// A line with the app's own binaries that are named like Apple's; empty without any.
  private func own(_ app: App) -> String {
    app.settings.ownBinaries.isEmpty ? "" : "\nown  \(app.settings.ownBinaries.joined(separator: ", "))"
  }

  /// A line for each older valid key with its expiry; empty without any.
  private func old(_ keys: some Collection<IngestKey>) -> String {
    keys.map { "\nold  \($0.key)  works until \($0.retires?.iso ?? "it is rotated")" }.joined()
  }

  func show(_ app: App, _ format: OutputFormat) {
    let valid = app.keys.filter { $0.isValid(at: now) }
    let key = valid.first?.key ?? ""
    switch format {
    case .json:
      let members = [("app", app.bundleID), ("key", key), ("dsn", app.dsn(key: key, at: url)), ("url", url)]
      let keys = valid.map { key in
        "{\"key\":\"\(key.key)\",\"works_until\":\(key.retires.map { "\"\($0.iso)\"" } ?? "null")}"
      }
      let texts = members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
      Console.print("{\(texts),\"keys\":[\(keys.joined(separator: ","))]}")
    default:
      Console.print(
        """
        app  \(app.bundleID)
        key  \(key)\(old(valid.dropFirst()))
        dsn  \(app.dsn(key: key, at: url))\(own(app))

        Send a payload:
          curl -sS '\(url)/v1/payloads' -H 'Authorization: Bearer \(key)' --data-binary @payload.json
        """)
    }
  }
}
