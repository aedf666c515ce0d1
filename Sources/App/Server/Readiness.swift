import Core
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
