import Foundation
import Logging
import SQLiteStore
import Storage

/// Digests what another process ended at, in a child process. A record that ends the child, too, is set aside: no record
/// stops two processes.
struct DigestRecovery {
  private let folder: DataFolder
  private let marker: FileDigestMarker
  private let logger: Logger

  init(_ folder: DataFolder, _ marker: FileDigestMarker, _ logger: Logger) {
    self.folder = folder
    self.marker = marker
    self.logger = logger
  }

  /// Records that may be set aside at one start. More than that is no matter of records.
  private static let most = 50
  /// A child that stays so long at one record, or at all of them, is ended; in seconds.
  private static let patience = (record: 30.0, all: 300.0)

  func callAsFunction(_ target: DigestPosition) throws {
    logger.warning(
      "A process ended while it digested, at record \(target.through) or before. Its records are tried apart.")
    if try run(["--target", target.marker], patience: Self.patience.all) == .done { return }
    var setAside: [Int64] = []
    while setAside.count < Self.most {
      let names = setAside.map(String.init).joined(separator: ",")
      let arguments = ["--target", target.marker, "--one-by-one"] + (setAside.isEmpty ? [] : ["--set-aside", names])
      switch try run(arguments, patience: Self.patience.record) {
      case .done:
        for sequence in setAside {
          logger.error("Record \(sequence) ended the process. It is set aside: kept, and not in the numbers.")
        }
        return
      case .failed(let status):
        throw Failure("Records could not be tried apart: the child ended with status \(status).")
      case .died:
        guard let suspect = try marker.read()?.through, !setAside.contains(suspect) else {
          throw Failure("Records could not be tried apart: the child ended before the first of them.")
        }
        setAside.append(suspect)
      }
    }
    throw Failure("More than \(Self.most) records end the process: is this machine sound?")
  }

  private enum End: Equatable {
    case done
    case failed(Int32)
    case died
  }

  private func run(_ arguments: [String], patience: Double) throws -> End {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["recover-digest", "--data", folder.url.path] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var last = try marker.read()
    var since = Date()
    while process.isRunning {
      usleep(20_000)
      let now = try marker.read()
      if now != last { (last, since) = (now, Date()) }
      if Date().timeIntervalSince(since) > patience { kill(process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal { return .died }
    return process.terminationStatus == 0 ? .done : .failed(process.terminationStatus)
  }
}
