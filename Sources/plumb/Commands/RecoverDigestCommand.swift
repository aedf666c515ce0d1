import App
import ArgumentParser
import Foundation
import Logging
import Storage

/// `plumb recover-digest`: digests the records that an earlier server was working on when it crashed. Hidden from the
/// help. The server runs it as a child process, because a record that crashed one process may crash another.
struct RecoverDigestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover-digest", abstract: "Digest the records on which a process crashed.",
    discussion: "Example:\n  plumb recover-digest --data plumb-data --target 'digesting 1200'", shouldDisplay: false)

  @OptionGroup var folder: FolderOptions

  @Option(help: "The marker's line, which names the last record to digest.")
  var target: String

  @Flag(name: .customLong("one-by-one"), help: "Digest each record in a separate transaction.")
  var isOneByOne = false

  @Option(name: .customLong("set-aside"), help: "Sequences of records to quarantine, separated by commas.")
  var setAside: String?

  func run() throws {
    DemangleNamesCommand.endWithParent()
    Self.limitMemory()
    guard let target = DigestPosition(marker: target) else {
      throw ValidationError("--target: expected a marker such as 'digesting 1200', found \"\(target)\".")
    }
    let installation = try Installation.existing(try folder.path())
    let logger = Logger(label: "plumb") { StreamLogHandler.standardError(label: $0) }
    let sequences = (setAside ?? "").split(separator: ",").compactMap { Int64($0) }
    try installation.recoverDigest(
      to: target, isOneByOne: isOneByOne, settingAside: Set(sequences), logger: logger)
  }

  /// Limits this process to 2 GiB of memory and makes it the first that the kernel kills. A record that takes up all
  /// memory then does not end the server.
  private static func limitMemory() {
    var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    try? "1000".write(toFile: "/proc/self/oom_score_adj", atomically: false, encoding: .utf8)
  }
}
