import Core
import Logging
import SQLiteStore
import Synchronization

/// Whether the server can store payloads and digest them. `/readyz` lists the current faults.
///
/// A fault is logged when it begins, once a minute with its count while it lasts, and when it ends.
final class Readiness: Sendable {
  /// A part of the server that can fail while the rest continues.
  enum Part: CaseIterable {
    /// Appending to the journal. While it fails, payloads are answered with 503.
    case journal
    /// Digesting. While it fails, payloads are stored but not digested.
    case digest
  }

  private struct Fault {
    var error: String
    var count: Int
    /// The failures since the last log line.
    var unlogged: Int
    var logged: Timestamp
  }

  private struct State {
    var faults: [Part: Fault] = [:]
    /// The damage of each database, until a check of all its pages finds none.
    var damage: [DataFolderDatabase: String] = [:]
    var appended: Int64 = 0
    var applied: Int64 = 0
    /// When `applied` last grew, or caught up with `appended`.
    var progressed: Timestamp
  }

  private let state: Mutex<State>
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp

  /// The time between two log lines about the same fault, in milliseconds.
  private static let logInterval: Int64 = 60_000
  /// The time in milliseconds after which a digest that applies no waiting record is a fault. A flush can take seconds
  /// on a slow disk.
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
        : "\(part.failure) (\(fault.unlogged) more times, \(fault.count) in total): \(error)"
    }
    if let line { logger.error("\(line)") }
  }

  /// Notes the damage of a database's pages; nil if they are intact. Later successes do not end the fault, because a
  /// damaged file may store one payload and fail at the next.
  func note(_ damage: String?, of file: DataFolderDatabase) {
    replace(damage.map { "\(file.rawValue) is damaged: \($0). \(file.remedy)" }, of: file)
  }

  /// Notes that the file of a database is no longer the file that this process opened.
  func noteReplaced(_ file: DataFolderDatabase) {
    replace(
      "\(file.rawValue) was removed or replaced while the server runs, so new data is lost when the server ends. Put "
        + "the file back if it was moved; otherwise restart the server", of: file)
  }

  private func replace(_ fault: String?, of file: DataFolderDatabase) {
    let before = state.withLock { state in
      defer { state.damage[file] = fault }
      return state.damage[file]
    }
    switch (before, fault) {
    case (nil, let fault?): logger.error("\(fault)")
    case (_?, nil): logger.notice("\(file.rawValue) is intact.")
    default: break
    }
  }

  /// Sentences about damage that does not affect storing and digesting payloads.
  var warnings: [String] { state.withLock { $0.damage[.samples] }.map { [$0] } ?? [] }

  func succeeded(_ part: Part) {
    let ended = state.withLock { $0.faults.removeValue(forKey: part) }
    if let ended { logger.notice("\(part.recovery), after \(ended.count) failure\(ended.count == 1 ? "" : "s").") }
  }

  /// Notes the last record that was appended to the journal, and the last that was digested.
  func note(appended: Int64? = nil, applied: Int64? = nil) {
    let now = clock()
    state.withLock { state in
      // Records appended after a pause are not late yet.
      if state.applied >= state.appended { state.progressed = now }
      if let appended { state.appended = max(state.appended, appended) }
      if let applied, applied > state.applied { (state.applied, state.progressed) = (applied, now) }
    }
  }

  /// A sentence for each current fault; empty when the server is ready. Never blocks. `isDigesting`: whether this
  /// process digests, in which case a stalled digest is a fault.
  func faults(isDigesting: Bool) -> [String] {
    let now = clock()
    return state.withLock { state in
      var found = Part.allCases.compactMap { part in state.faults[part].map { "\(part.failure): \($0.error)" } }
      for file in [DataFolderDatabase.journal, .plumb, .control] {
        if let damage = state.damage[file] { found.append(damage) }
      }
      let still = now.milliseconds - state.progressed.milliseconds
      if isDigesting, state.appended > state.applied, still >= Self.longestStandstill {
        found.append(
          "\(state.appended - state.applied) records are waiting, and none was digested for \(still / 60_000) minutes")
      }
      return found
    }
  }
}

extension Readiness.Part {
  fileprivate var failure: String {
    switch self {
    case .journal: "The journal cannot be written"
    case .digest: "The digest failed and will be retried"
    }
  }

  fileprivate var recovery: String {
    switch self {
    case .journal: "The journal can be written again"
    case .digest: "The digest works again"
    }
  }
}
