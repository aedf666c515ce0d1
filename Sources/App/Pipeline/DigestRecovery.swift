import Foundation
import Ingest
public import Logging
import SQLiteStore
public import Storage

/// Digests the records that an earlier process was working on when it crashed, in a child process (`plumb
/// recover-digest`). A record that also crashes the child is quarantined, so that no record stops the server twice.
struct DigestRecovery {
  private let folder: DataFolder
  private let marker: DigestMarkerFile
  private let executable: URL
  private let logger: Logger

  /// Creates a recovery. `executable`: the `plumb` program, which runs as the child process.
  init(_ folder: DataFolder, _ marker: DigestMarkerFile, executable: URL, _ logger: Logger) {
    self.executable = executable
    self.folder = folder
    self.marker = marker
    self.logger = logger
  }

  /// The most records to quarantine at one start. If more records crash the child, they are not the cause.
  private static let limit = 50
  /// Seconds without progress after which the child is killed, when it digests one record at a time or all at once.
  private static let timeout = (record: 30.0, all: 300.0)

  /// Digests up to `target`. Throws if the records cannot be digested one by one either.
  func run(to target: DigestPosition) throws {
    logger.warning(
      """
      A process crashed while digesting, at or before record \(target.through). Its records are now digested in a \
      child process.
      """)
    if try run(["--target", target.marker], timeout: Self.timeout.all) == .done { return }
    var setAside: [Int64] = []
    while setAside.count < Self.limit {
      let names = setAside.map(String.init).joined(separator: ",")
      let arguments = ["--target", target.marker, "--one-by-one"] + (setAside.isEmpty ? [] : ["--set-aside", names])
      switch try run(arguments, timeout: Self.timeout.record) {
      case .done:
        for sequence in setAside {
          logger.error("Record \(sequence) crashed the process. It is quarantined: kept, but not in the numbers.")
        }
        return
      case .failed(let status):
        throw UserFacingError("Records could not be digested one by one: the child exited with status \(status).")
      case .died:
        guard let suspect = try marker.read()?.through, !setAside.contains(suspect) else {
          throw UserFacingError("Records could not be digested one by one: the child crashed before the first record.")
        }
        setAside.append(suspect)
      }
    }
    throw UserFacingError("More than \(Self.limit) records crash the process. Check the machine's memory and disk.")
  }

  private enum Outcome: Equatable {
    case done
    case failed(Int32)
    case died
  }

  private func run(_ arguments: [String], timeout: Double) throws -> Outcome {
    let process = Process()
    process.executableURL = executable
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
      if Date().timeIntervalSince(since) > timeout { kill(process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal { return .died }
    return process.terminationStatus == 0 ? .done : .failed(process.terminationStatus)
  }
}

extension Installation {
  /// The child process's part of the recovery. Digests up to `target`, in one transaction per record if `isOneByOne`.
  /// Quarantines the records whose sequences are in `settingAside`.
  public func recoverDigest(
    to target: DigestPosition, isOneByOne: Bool, settingAside: Set<Int64>, logger: Logger
  ) throws {
    let lock = try FolderLock.shared(of: folder)
    defer { withExtendedLifetime(lock) {} }
    let store = try store(samples: try samples(limits: SampleLimits(), logger))
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    let loop = DigestLoop(journal: journal, store: store, marker: try DigestMarkerFile(path: folder.digestMarker)) {
      logger.error("While records are digested one by one: \($0)")
    }
    if isOneByOne {
      try loop.digestOneByOne(to: target, settingAside: settingAside)
    } else {
      try loop.digest(to: target)
    }
  }
}
