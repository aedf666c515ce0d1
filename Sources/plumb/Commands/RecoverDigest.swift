import ArgumentParser
import Aggregation
import Foundation
import Logging
import SQLiteStore
import Storage

/// `plumb recover-digest`: not for people. A server whose predecessor ended while it digested starts it as a child process,
/// because a record that ended one process may end another.
struct RecoverDigest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover-digest", abstract: "Digest the records that a process died of.",
    discussion: "Example:\n  plumb recover-digest --data plumb-data --target 'digesting 1200'", shouldDisplay: false)

  @OptionGroup var folder: FolderOptions

  @Option(help: "The line of the marker: how far to go.")
  var target: String

  @Flag(name: .customLong("one-by-one"), help: "Each record in a transaction of its own.")
  var isOneByOne = false

  @Option(name: .customLong("set-aside"), help: "Sequences of records that are not digested, with commas.")
  var setAside: String?

  func run() throws {
    DemangleNames.endWithParent()
    Self.dieFirst()
    guard let target = DigestPosition(marker: target) else { throw ValidationError("--target is no marker.") }
    let installation = try Installation.existing(try folder.path())
    let files = installation.folder
    let store = try installation.store(samples: try SQLiteDiagnosticBodies(path: files.samples))
    let journal = try SQLiteJournal(path: files.journal) { try store.position(of: $0).through }
    let logger = Logger(label: "plumb") { StreamLogHandler.standardError(label: $0) }
    let loop = DigestLoop(journal: journal, store: store, marker: try FileDigestMarker(path: files.digestMarker)) {
      logger.error("While records are tried one by one: \($0)")
    }
    if isOneByOne {
      let sequences = (setAside ?? "").split(separator: ",").compactMap { Int64($0) }
      try loop.digestOneByOne(to: target, settingAside: Set(sequences))
    } else {
      try loop.digest(to: target)
    }
  }

  /// A record that takes all memory there is takes it from this process, and not from the server.
  private static func dieFirst() {
    var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    try? "1000".write(toFile: "/proc/self/oom_score_adj", atomically: false, encoding: .utf8)
  }
}
