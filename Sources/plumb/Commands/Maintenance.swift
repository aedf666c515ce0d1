import ArgumentParser
import Logging
import SQLiteStore
import Storage

/// `plumb migrate`
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring the databases of an older Plumb up to date. `plumb serve` does it, too.",
    discussion: "Example:\n  plumb migrate --data /var/lib/plumb")

  @OptionGroup var folder: FolderOptions

  func run() throws {
    _ = try Installation.existing(try folder.path())
    let installation = try Installation.creating(try folder.path(), migrates: true)
    let store = try installation.store(migrating: true)
    _ = try SQLiteDiagnosticBodies(path: installation.folder.samples)
    _ = try SQLiteJournal(path: installation.folder.journal) { try store.position(of: $0).through }
    Console.print("up to date")
  }
}

/// `plumb prune`
struct Prune: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Drop what is past its time now. `plumb serve` does it every hour.",
    discussion: "Example:\n  plumb prune --data /var/lib/plumb")

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let pipeline = try Pipeline(
      installation, migrating: false,
      logger: Logger(label: "prune") { StreamLogHandler.standardError(label: $0) })
    try pipeline.maintain(now: Clock.now())
    pipeline.stop()
    Console.print("pruned")
  }
}
