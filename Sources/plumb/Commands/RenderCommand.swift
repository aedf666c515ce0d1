import App
import ArgumentParser
import Foundation

/// The command `plumb render`: exports the dashboard as static files.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Export the dashboard as static files.",
    discussion: """
      Example:
        plumb render --out site && open site/index.html

      The pages open without a server and show when they were written. Pages whose numbers have not changed are not \
      rewritten. plumb-files.txt lists the written files; the next export removes listed files that are obsolete, such \
      as pages of a removed app.
      """)

  @Option(help: "The folder to write to. Files with the same names are replaced if their content changed.")
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
    let removed = outcome.removed > 0 ? ", \(outcome.removed) obsolete files removed" : ""
    Console.print(
      "\(outcome.files) files in \(out), \(outcome.written) of them new or changed\(removed). Open \(out)/index.html.")
  }
}
