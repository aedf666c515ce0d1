import Foundation
import Ingest
public import Logging
import SQLiteStore
public import Storage

/// Digests the records that an earlier process was working on when it crashed, in a child process (`plumb
/// recover-digest`). A record that crashes the child, too, is set aside, so that no record stops the server twice.
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

  /// The most records that are set aside at one start. If more crash the child, the records are not the cause.
  private static let limit = 50
  /// Seconds without progress after which the child is killed: when it digests one record at a time, and all at once.
  private static let timeout = (record: 30.0, all: 300.0)

  /// Digests up to `target`. Throws if the records cannot be digested one by one either.
  func run(to target: DigestPosition) throws {
    logger.warning(
      "A process ended while it digested, at record \(target.through) or before. Its records are tried apart.")
    if try run(["--target", target.marker], timeout: Self.timeout.all) == .done { return }
    var setAside: [Int64] = []
    while setAside.count < Self.limit {
      let names = setAside.map(String.init).joined(separator: ",")
      let arguments = ["--target", target.marker, "--one-by-one"] + (setAside.isEmpty ? [] : ["--set-aside", names])
      switch try run(arguments, timeout: Self.timeout.record) {
      case .done:
        for sequence in setAside {
          logger.error("Record \(sequence) ended the process. It is set aside: kept, and not in the numbers.")
        }
        return
      case .failed(let status):
        throw UserFacingError("Records could not be tried apart: the child ended with status \(status).")
      case .died:
        guard let suspect = try marker.read()?.through, !setAside.contains(suspect) else {
          throw UserFacingError("Records could not be tried apart: the child ended before the first of them.")
        }
        setAside.append(suspect)
      }
    }
    throw UserFacingError("More than \(Self.limit) records end the process: is this machine sound?")
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
  /// The child process's part of the recovery: digests up to `target`, in one transaction per record if `isOneByOne`.
  /// Skips the records whose sequences are in `settingAside`.
  public func recoverDigest(
    to target: DigestPosition, isOneByOne: Bool, settingAside: Set<Int64>, logger: Logger
  ) throws {
    let lock = try FolderLock.shared(of: folder)
    defer { withExtendedLifetime(lock) {} }
    let store = try store(samples: try samples(limits: SampleLimits(), logger))
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    let loop = DigestLoop(journal: journal, store: store, marker: try DigestMarkerFile(path: folder.digestMarker)) {
      logger.error("While records are tried one by one: \($0)")
    }
    if isOneByOne {
      try loop.digestOneByOne(to: target, settingAside: settingAside)
    } else {
      try loop.digest(to: target)
    }
  }
}

/// A journal that was lost, or is older than the numbers: they stay right, but the keys by which repeated payloads are
/// recognized are gone with it.
enum JournalLoss {
  /// What follows from it, as the end of a sentence.
  static let meaning = "what was sent in the last seven days counts twice if it is sent again"

  /// A sentence about a journal that does not fit the numbers; nil if it does. Call it before the journal is opened,
  /// which makes a missing one.
  static func find(in folder: DataFolder) throws -> String? {
    let files = FileManager.default
    guard files.fileExists(atPath: folder.plumb) else { return nil }
    // Beside an empty file, `ofNumbers` says what is lost.
    guard files.fileExists(atPath: folder.journal) else {
      guard try SQLiteStore.largestApp(in: folder.plumb) > 0 else { return nil }
      return "journal.db is missing beside plumb.db: what was not counted yet is lost, and \(meaning)"
    }
    let coverage = try JournalCoverage.read(journal: folder.journal, store: folder.plumb)
    if coverage.isJournalOlder {
      return "journal.db ends with record \(coverage.last) and is older than plumb.db, which has counted through "
        + "\(coverage.applied): \(meaning)"
    }
    if coverage.applied == 0, coverage.last > 0, !coverage.otherNodes.isEmpty {
      return "journal.db is of another folder than plumb.db: its \(coverage.last) records are counted in addition"
    }
    return nil
  }

  /// A sentence about records that were counted in a plumb.db that is gone, or newer than this one, and that the journal no
  /// longer has; nil without any. Call it before the store is opened, which makes a missing one.
  static func ofNumbers(in folder: DataFolder) throws -> String? {
    guard FileManager.default.fileExists(atPath: folder.journal) else { return nil }
    let coverage = try JournalCoverage.read(journal: folder.journal, store: folder.plumb)
    guard let first = coverage.missing.first?.lowerBound, let last = coverage.missing.last?.upperBound else {
      return nil
    }
    let cause =
      FileManager.default.fileExists(atPath: folder.plumb)
      ? "plumb.db has counted through record \(coverage.applied)" : "plumb.db is missing"
    return
      "\(cause), and \(coverage.missingCount) records, between \(first) and \(last), are no longer in journal.db: their "
      + "numbers are lost, unless you stop and run `plumb redigest --from BACKUP`, with a backup that has them"
  }
}
