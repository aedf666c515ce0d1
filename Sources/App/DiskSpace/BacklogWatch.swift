import Analysis
import Dispatch
import Logging
import SQLiteStore
import Synchronization

/// Watches how many bytes of records wait in a journal, so that a digest or a primary that is down for long does not
/// fill the disk. Above the setting `journal-limit`, payloads are refused until the backlog shrinks.
///
/// Requests read the result from memory. It is measured once a second, so payloads within one second can exceed the
/// limit.
final class BacklogWatch: Sendable {
  private let size: JournalBacklogSize
  private let limit: Int
  private let applied: @Sendable () throws -> Int64
  private let reason: String
  private let logger: Logger
  private let state: Mutex<(bytes: Int, failure: String?)>

  /// The default of `journal-limit`, in bytes.
  static let standard = 10 << 30

  /// - Parameters:
  ///   - applied: the sequence of the last record that does not wait.
  ///   - reason: what the records wait for, such as `the digest`.
  init(
    _ journal: SQLiteJournal, limit: Int, waitingFor reason: String, _ logger: Logger,
    applied: @escaping @Sendable () throws -> Int64
  ) {
    size = JournalBacklogSize(journal)
    (self.limit, self.reason, self.logger, self.applied) = (limit, reason, logger, applied)
    state = Mutex((0, nil))
    look()
  }

  /// The bytes that waited at the last measurement.
  var bytes: Int { state.withLock { $0.bytes } }
  var isFull: Bool { bytes >= limit }

  /// A sentence while payloads are refused.
  var fault: String? {
    let bytes = bytes
    guard bytes >= limit else { return nil }
    return "\(ByteSize.text(bytes)) of records are waiting for \(reason), and journal-limit is "
      + "\(ByteSize.text(limit)): payloads are refused"
  }

  /// Measures now, and logs when the backlog crosses the limit.
  func look() {
    do {
      let (before, now) = (isFull, try size.measure(after: applied()))
      state.withLock { $0 = (now, nil) }
      if let fault, !before { logger.error("\(fault).") }
      if before, !isFull { logger.notice("The journal has room again: payloads are accepted.") }
    } catch {
      let isNew = state.withLock { state in
        defer { state.failure = "\(error)" }
        return state.failure != "\(error)"
      }
      if isNew { logger.error("The journal's backlog cannot be measured: \(error)") }
    }
  }
}
