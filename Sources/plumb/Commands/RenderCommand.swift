import App
import ArgumentParser
import Foundation

/// The command `plumb render`: exports the dashboard as static files.
struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the whole dashboard as files that open without a server.",
    discussion: """
      Example:
        plumb render --out site && open site/index.html

      A page says when it was made; one whose numbers did not change since is not written again. plumb-files.txt lists what \
      was written: what a later copy has no more, such as the pages of an app that was removed, is taken away.
      """)

  @Option(help: "The folder to write to. Files of the same names are replaced; those that did not change stay.")
  var out: String

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let settings = try folder.settings()
    let site = StaticSite(
      installation, settings, budgets: settings.value("budgets", flag: budgets), now: WallClock.now())
    var bar: ProgressBar?
    let outcome = try site.write(
      to: URL(fileURLWithPath: out, isDirectory: true), complain: { Console.complain($0) },
      progress: { done, all in
        if bar == nil { bar = ProgressBar("Rendering", total: all) }
        bar?.show(done)
      })
    let removed = outcome.removed > 0 ? ", \(outcome.removed) old ones removed" : ""
    Console.print(
      "\(outcome.files) files in \(out), \(outcome.written) of them new or changed\(removed): open \(out)/index.html")
  }
}
