import Analysis
import App
import ArgumentParser
import Core
import Ingest
import Storage
import Web

/// The command `plumb groups`: lists, resolves and annotates groups of crashes and hangs.
struct GroupsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "groups", abstract: "List, resolve and annotate groups of crashes and hangs.",
    discussion: "Example:\n  plumb groups list --app com.example.shop",
    subcommands: [List.self, Show.self, Resolve.self, Ignore.self, Reopen.self, Note.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the groups with the most diagnostics.",
      discussion: "Example:\n  plumb groups list --app com.example.shop --kind crash --release 4.2.0 --open")

    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Only this kind: \(DiagnosticKind.allCases.map(\.name).joined(separator: ", ")).")
    var kind: String?

    @Option(help: "Only this release: 4.2.0 or '4.2.0 (1234)'.")
    var release: String?

    @Flag(help: "Only open groups.")
    var open = false

    @Option(help: "The maximum number of groups, from 1 to \(GroupList.most).")
    var limit = 50

    @Flag(help: "Print the API's JSON.")
    var json = false

    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard kind.map({ DiagnosticKind(name: $0) != nil }) ?? true else {
        let kinds = DiagnosticKind.allCases.map(\.name).joined(separator: ", ")
        throw ValidationError("--kind: expected one of \(kinds), found \"\(kind ?? "")\".")
      }
      guard (1...GroupList.most).contains(limit) else {
        throw ValidationError("--limit: expected 1 to \(GroupList.most), found \(limit).")
      }
    }

    func run() throws {
      let groups = try AppGroups(folder, app: app)
      var list = try groups.reader.groups(
        groups.app, ReportQuery(release: release), kind: kind.flatMap { DiagnosticKind(name: $0) },
        hasRates: json, limit: open ? GroupList.most : limit, now: WallClock.now())
      if open { list.groups = Array(list.groups.filter(\.status.isOpen).prefix(limit)) }
      if json { return Console.print(String(decoding: list.json().dropLast(), as: UTF8.self)) }
      if list.groups.isEmpty { Console.print("No groups in \(list.window.from.iso) to \(list.window.to.iso).") }
      for group in list.groups { Console.print(GroupText.line(group)) }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a group with its releases and stacks.",
      discussion: "Example:\n  plumb groups show 3f2a9c01d4e5b678 --app com.example.shop")

    @OptionGroup var named: NamedGroup

    @Flag(help: "Print the API's JSON.")
    var json = false

    func run() throws {
      let (_, page) = try named.find()
      if json { return Console.print(String(decoding: page.json().dropLast(), as: UTF8.self)) }
      for line in GroupText.lines(page) { Console.print(line) }
    }
  }

  struct Resolve: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mark a group as fixed in a release.",
      discussion: """
        Example:
          plumb groups resolve 3f2a9c01d4e5b678 --app com.example.shop --in 4.2.1

        The group reopens when it is seen in that release or a later one.
        """)

    @OptionGroup var named: NamedGroup

    @Option(name: .customLong("in"), help: "The release with the fix: 4.2.1 or '4.2.1 (1240)'.")
    var release: String

    func validate() throws {
      guard release.utf8.contains(where: { $0 > 0x20 }) else {
        throw ValidationError("--in: expected a release such as 4.2.1, found an empty value.")
      }
    }

    func run() throws {
      let groups = try AppGroups(named.folder, app: named.app)
      do {
        let known = try groups.reader.release(typed: release, of: groups.app, now: WallClock.now())
        try named.decide(.resolved(release: known))
      } catch let error as InvalidQuery {
        throw ValidationError("--in: \(error.detail).")
      }
    }
  }

  struct Ignore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mark a group as not worth fixing.",
      discussion: "Example:\n  plumb groups ignore 3f2a9c01d4e5b678 --app com.example.shop")

    @OptionGroup var named: NamedGroup

    func run() throws { try named.decide(.ignored) }
  }

  struct Reopen: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reopen a resolved or ignored group.",
      discussion: "Example:\n  plumb groups reopen 3f2a9c01d4e5b678 --app com.example.shop")

    @OptionGroup var named: NamedGroup

    func run() throws { try named.decide(.open) }
  }

  struct Note: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the owner and the note of a group.",
      discussion: """
        Example:
          plumb groups note 3f2a9c01d4e5b678 --app com.example.shop \\
            --owner Ana --text 'Only with an empty cart.'

        An omitted option changes nothing; "" clears the owner or the note.
        """)

    @OptionGroup var named: NamedGroup

    @Option(help: "The person or team responsible, at most \(GroupNote.longestOwner) characters.")
    var owner: String?

    @Option(help: "The note, at most \(GroupNote.longestText) characters.")
    var text: String?

    func validate() throws {
      guard owner != nil || text != nil else { throw ValidationError("Give --owner, --text or both.") }
    }

    func run() throws {
      let groups = try AppGroups(named.folder, app: named.app)
      guard let found = try groups.reader.noted(groups.app, named: named.group) else { throw named.unknown }
      do {
        let note = try GroupNote(
          typedOwner: owner ?? found.note?.owner ?? "", text: text ?? found.note?.text ?? "",
          changed: WallClock.now())
        try groups.control.setNote(note, of: groups.app.id, group: found.fingerprint, replacing: found.predecessors)
      } catch let ControlError.invalid(message) {
        throw ValidationError(message)
      }
      for line in GroupText.note(try named.find().1.group) { Console.print(line) }
    }
  }
}

/// The arguments of the commands about one group.
struct NamedGroup: ParsableArguments {
  @Argument(help: "The group's id, as in `plumb groups list` and on its page.")
  var group: String

  @Option(help: "The app's bundle identifier.")
  var app: String

  @OptionGroup var folder: FolderOptions

  func find() throws -> (AppGroups, GroupDetail) {
    let groups = try AppGroups(folder, app: app)
    guard let page = try groups.reader.group(groups.app, named: group, now: WallClock.now()) else {
      throw unknown
    }
    return (groups, page)
  }

  var unknown: UserFacingError {
    UserFacingError("There is no group \(group). `plumb groups list --app \(app)` lists the groups.")
  }

  /// Stores a decision and prints the group's new state.
  func decide(_ state: GroupDecision.State) throws {
    let (groups, page) = try find()
    guard let fingerprint = Fingerprint.hash(named: page.group.id) else { return }
    try groups.control.decide(GroupDecision(state, changed: WallClock.now()), of: groups.app.id, group: fingerprint)
    Console.print(GroupText.line(try find().1.group))
  }
}

/// An app and the reader of its groups, for the commands about groups.
struct AppGroups {
  let app: App
  let control: any ControlStore
  let reader: GroupReader

  init(_ options: FolderOptions, app: String) throws {
    let installation = try Installation.existing(try options.path())
    self.app = try installation.app(app)
    control = installation.control
    reader = try installation.groups(try options.settings()) { Console.complain($0) }
  }
}

/// Formats groups as lines for a terminal.
enum GroupText {
  static func line(_ group: GroupSummary) -> String {
    let state = group.status.release.map { "\(group.status.name) in \($0)" } ?? group.status.name
    let share = Quantity.text(group.share.estimate, .ratio)
    let basis = group.shareBasis == .sessions ? "of sessions" : "of all reports of its kind"
    let hang = group.hangs.map { "  \($0.hangClass.title.lowercased())" } ?? ""
    return "\(group.id)  \(state)\(hang)  \(count(group.diagnostics)), \(share) \(basis)  "
      + "\(group.firstSeen.iso) to \(group.lastSeen.iso)  \(oneLine(group.title))"
  }

  static func lines(_ page: GroupDetail) -> [String] {
    var lines = [line(page.group)] + (page.group.note == nil ? [] : note(page.group))
    if let hangs = page.group.hangs {
      lines.append("  class: \(HangWords.sentence(hangs)) (\(HangWords.counts(hangs)))")
    }
    lines += page.rates.map { "  \(oneLine($0.release)): \(rate($0.rate)) of \($0.rate.sessions)" }
    lines += page.releases.map {
      "  \(oneLine($0.release)): \(count($0.diagnostics)), "
        + "\($0.firstDay.iso) to \($0.lastDay.iso)\($0.isRegression ? ", regressed" : "")"
    }
    for thread in page.threads.prefix(1) {
      lines.append("  thread \(thread.number)\(thread.isAttributed ? " (crashed)" : ""):")
      lines += thread.lines.enumerated().map { "    \($0)  \(oneLine($1.binary))  \(oneLine($1.name))" }
      if thread.omitted > 0 { lines.append("    \(thread.omitted) more \(thread.omitted == 1 ? "frame" : "frames")") }
    }
    if let flame = page.flame {
      lines.append("  hottest path of \(flame.samples) samples:")
      lines += flame.nodes.filter(\.isHeaviest).map { "    \($0.samples)  \(oneLine($0.binary))  \(oneLine($0.name))" }
    }
    return lines
  }

  /// The owner of a group, and the note about it.
  static func note(_ group: GroupSummary) -> [String] {
    guard let note = group.note else { return ["  owner and note: not set"] }
    let text = note.text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \(oneLine(String($0)))" }
    return ["  owner: \(note.owner.isEmpty ? "not set" : oneLine(note.owner))"] + (note.text.isEmpty ? [] : text)
  }

  private static func rate(_ rate: GroupRate) -> String {
    let value = Quantity.text(rate.estimate.value, .count)
    let what = rate.counted == .sessions ? "affected" : "reported"
    guard rate.estimate.low != nil else { return "\(value) \(what) per 1,000 sessions" }
    return "\(value) (\(Quantity.interval(rate.estimate, .count))) \(what) per 1,000 sessions"
  }

  private static func count(_ diagnostics: Int) -> String {
    "\(diagnostics) \(diagnostics == 1 ? "diagnostic" : "diagnostics")"
  }

  /// Replaces control characters in names from devices, because they could control the terminal.
  private static func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
  }
}
