import Core
import Foundation
import Logging
import SQLiteStore
import Synchronization

/// Whether the server can do its work: keep what it acknowledges, and count what it kept. `/readyz` answers with the
/// faults that hold now.
///
/// A fault is logged when it begins, once a minute with its count while it lasts, and when it is over.
final class Readiness: Sendable {
  /// A part of the server that can fail while the rest goes on.
  enum Part: CaseIterable {
    /// Appending to the journal: payloads are answered with 503.
    case journal
    /// Digesting: payloads are kept, and not yet counted.
    case digest
  }

  private struct Fault {
    var error: String
    var count: Int
    /// The failures since the last line of the log.
    var unlogged: Int
    var logged: Timestamp
  }

  private struct State {
    var faults: [Part: Fault] = [:]
    /// What is wrong with databases, until a look at all of their pages finds none.
    var damage: [DatabaseFile: String] = [:]
    var appended: Int64 = 0
    var applied: Int64 = 0
    /// When `applied` last grew, or caught up with `appended`.
    var progressed: Timestamp
  }

  private let state: Mutex<State>
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp

  /// The time between two lines of the log about the same fault, in milliseconds.
  private static let logInterval: Int64 = 60_000
  /// The time after which a digest that has records and applies none is a fault, in milliseconds. A flush may take some
  /// seconds, on a slow disk.
  private static let longestStandstill: Int64 = 120_000

  init(_ logger: Logger, clock: @escaping @Sendable () -> Timestamp) {
    self.logger = logger
    self.clock = clock
    state = Mutex(State(progressed: clock()))
  }

  func failed(_ part: Part, _ error: any Error) {
    if let error = error as? DatabaseFileError, error.isDamage, let file = error.file { note("\(error)", of: file) }
    let now = clock()
    let line: String? = state.withLock { state in
      var fault = state.faults[part] ?? Fault(error: "", count: 0, unlogged: 0, logged: Timestamp(milliseconds: .min))
      fault.error = "\(error)"
      fault.count += 1
      fault.unlogged += 1
      defer { state.faults[part] = fault }
      guard fault.count == 1 || now.milliseconds - fault.logged.milliseconds >= Self.logInterval else { return nil }
      defer { (fault.unlogged, fault.logged) = (0, now) }
      return fault.count == 1
        ? "\(part.failure): \(error)"
        : "\(part.failure) (\(fault.unlogged) times more, \(fault.count) in all): \(error)"
    }
    if let line { logger.error("\(line)") }
  }

  /// Notes what is wrong with the pages of a database; nil when all are whole. What succeeds afterwards does not end it: a
  /// damaged file may take one payload and refuse the next.
  func note(_ damage: String?, of file: DatabaseFile) {
    replace(damage.map { "\(file.rawValue) is damaged: \($0). \(file.remedy)" }, of: file)
  }

  /// Notes that a database is no longer the file that this process opened.
  func noteReplaced(_ file: DatabaseFile) {
    replace(
      "\(file.rawValue) was removed or replaced while the server runs, and what it writes there is lost when it ends. Put it "
        + "back if it was moved; otherwise start the server again", of: file)
  }

  private func replace(_ fault: String?, of file: DatabaseFile) {
    let before = state.withLock { state in
      defer { state.damage[file] = fault }
      return state.damage[file]
    }
    switch (before, fault) {
    case (nil, let fault?): logger.error("\(fault)")
    case (_?, nil): logger.notice("\(file.rawValue) is whole.")
    default: break
    }
  }

  /// Sentences about damage without which payloads are kept and counted.
  var warnings: [String] { state.withLock { $0.damage[.samples] }.map { [$0] } ?? [] }

  func succeeded(_ part: Part) {
    let ended = state.withLock { $0.faults.removeValue(forKey: part) }
    if let ended { logger.notice("\(part.recovery), after \(ended.count) failure\(ended.count == 1 ? "" : "s").") }
  }

  /// Notes how far the journal is written, and how far the digest is.
  func note(appended: Int64? = nil, applied: Int64? = nil) {
    let now = clock()
    state.withLock { state in
      // What is appended after a pause is not late yet.
      if state.applied >= state.appended { state.progressed = now }
      if let appended { state.appended = max(state.appended, appended) }
      if let applied, applied > state.applied { (state.applied, state.progressed) = (applied, now) }
    }
  }

  /// A sentence about each fault that holds now; empty when the server is ready. Never blocks. `isDigesting`: whether
  /// this process digests, so that a digest that stands still is a fault of its own.
  func faults(isDigesting: Bool) -> [String] {
    let now = clock()
    return state.withLock { state in
      var found = Part.allCases.compactMap { part in state.faults[part].map { "\(part.failure): \($0.error)" } }
      for file in [DatabaseFile.journal, .plumb, .control] {
        if let damage = state.damage[file] { found.append(damage) }
      }
      let still = now.milliseconds - state.progressed.milliseconds
      if isDigesting, state.appended > state.applied, still >= Self.longestStandstill {
        found.append(
          "\(state.appended - state.applied) records wait, and none was counted for \(still / 60_000) minutes")
      }
      return found
    }
  }
}

extension Readiness.Part {
  fileprivate var failure: String {
    switch self {
    case .journal: "The journal cannot be written"
    case .digest: "The digest failed and tries again"
    }
  }

  fileprivate var recovery: String {
    switch self {
    case .journal: "The journal can be written again"
    case .digest: "The digest goes on"
    }
  }
}

/// Tells systemd the state of the service over the socket that it names (sd_notify(3)), without its library.
struct ServiceState: Sendable {
  private let socketPath: String
  /// The time after which systemd ends a service that sends no sign of life, in microseconds; nil without a watchdog.
  let watchdogMicroseconds: Int64?

  /// Nil if the process was not started as a service of the kind `notify`.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    socketPath = path
    let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
    watchdogMicroseconds =
      isOurs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
  }

  /// Sends a state such as `READY=1`. False if systemd did not take it.
  @discardableResult
  func send(_ state: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socketPath.utf8)
    // An abstract socket's name begins with a zero byte.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + path.count } ?? 0)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(state.utf8)
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
      }
    }
    return sent == bytes.count
  }
}

/// Looks for damage that payloads may not meet for long: every five seconds whether the databases of a server are the files
/// that it opened; at their pages at the start and once a day, of those without which no payload is kept every hour.
final class IntegrityWatch {
  /// Seconds between two looks.
  static let interval = 5.0
  private static let looksOfHour = 720
  private static let needed: Set<DatabaseFile> = [.journal, .control]

  private let readiness: Readiness
  private let folder: DataFolder
  private let opened: [(file: DatabaseFile, inode: UInt64?)]
  private var looks = 0

  /// `files`: the databases that the server has opened.
  init(_ readiness: Readiness, _ folder: DataFolder, _ files: [DatabaseFile]) {
    (self.readiness, self.folder) = (readiness, folder)
    opened = files.map { ($0, Self.inode(folder.path(of: $0))) }
  }

  func look(_ task: PeriodicTask) {
    let (isHour, isDay) = (looks % Self.looksOfHour == 0, looks % (24 * Self.looksOfHour) == 0)
    looks += 1
    for (file, inode) in opened {
      let path = folder.path(of: file)
      guard Self.inode(path) == inode else {
        readiness.noteReplaced(file)
        continue
      }
      guard isDay || isHour && Self.needed.contains(file) else { continue }
      task.attempt("The pages of \(file.rawValue) cannot be checked") {
        readiness.note(try DatabaseFile.damage(at: path), of: file)
      }
    }
  }

  /// The file's number in its file system; nil if there is none.
  private static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
