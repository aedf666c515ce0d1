import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb lab`: compares runs of performance tests.
struct LabCommand: ParsableCommand, FormattedCommand {
  static let formats = LabFormatter.formats

  static let configuration = CommandConfiguration(
    commandName: "lab",
    abstract: "Compare runs of performance tests.",
    discussion: """
      Example:
        plumb lab --app com.example.shop --base 4f5e6d7 --head 9fceb02

      Compares the newest 40 runs of each side that `plumb import --lab` added: a release (runs without a branch), a \
      commit, or a branch. Each run counts once, with the median of its iterations, and only runs on the same runner \
      and devices are compared. At least 4 runs of each on one runner can show a difference; see docs/lab.md.

      With --server, the server runs the comparison. The token needs the scope read.

      Exit status: 0 nothing is worse; 1 something is worse by less than the margin, or nothing can be decided; 2 worse; \
      3 too few runs, or none; 64 invalid argument.
      """)

  @Option(help: "The app's bundle identifier.")
  var app: String

  @Option(help: "The release, commit or branch to compare with.")
  var base: String

  @Option(help: "The release, commit or branch to compare.")
  var head: String

  @Option(help: "The largest change that counts as none, in percent. (default: 10)")
  var margin: String?

  @Option(help: "The output format: text, markdown, json, csv, junit or github.")
  var format = Format<Self>.text

  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func validate() throws {
    guard base != head else { throw ValidationError("--base and --head are the same: name two sides.") }
    do { _ = try LabComparison.margin(percent: margin) } catch { throw ValidationError(error) }
  }

  func run() throws {
    let server = try remote.server(try folder.settings(), folder, clock, tokenHint: RemoteGate.tokenHint)
    try GateRun.run("could not compare") {
      guard let server else { return try compare() }
      return try RemoteGate(server: server).judge(
        "lab", ["app": app, "base": base, "head": head, "margin": margin, "format": format.rawValue], budgets: nil)
    }
  }

  private func compare() throws -> GateAnswer {
    let installation = try Installation.existing(try folder.path())
    let app = try installation.app(self.app)
    let kind = GateQuestion.Kind.lab(base: base, head: head, margin: try LabComparison.margin(percent: margin))
    return try FolderGate(installation, budgets: nil).answer(
      GateQuestion(kind, apps: [app], query: ReportQuery(), format: format.rawValue, now: clock.now))
  }
}
