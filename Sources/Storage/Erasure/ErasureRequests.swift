public import Core

/// A request to delete a part of an app's data, and its result.
public struct Erasure: Sendable, Identifiable {
  public let id: Int64
  public let app: AppID
  /// The bundle identifier, which the statement mentions even after the app is deleted.
  public let bundleID: String
  public let scope: ErasureScope
  public let requested: Timestamp
  /// The user, token or command that made the request.
  public let requestedBy: String
  /// The time at which it was completed or refused; nil while it waits.
  public let finished: Timestamp?
  /// What was deleted and what remains, or why nothing was deleted; empty while the request waits.
  public let statement: String
  /// Whether the request was refused. The statement then has the reason.
  public let isRefused: Bool

  public init(
    id: Int64, app: AppID, bundleID: String, scope: ErasureScope, requested: Timestamp, requestedBy: String,
    finished: Timestamp? = nil, statement: String = "", isRefused: Bool = false
  ) {
    self.id = id
    self.app = app
    self.bundleID = bundleID
    self.scope = scope
    self.requested = requested
    self.requestedBy = requestedBy
    self.finished = finished
    self.statement = statement
    self.isRefused = isRefused
  }
}

extension Erasure {
  /// The request as an event for the audit log.
  public var event: AuditEvent {
    AuditEvent("data.delete", app: bundleID, subject: scope.title, detail: "deletion \(id)")
  }
}

/// The store of deletion requests. The process that runs the digest carries them out and continues after an
/// interruption.
public protocol ErasureRequests: RewritableFile {
  /// Stores a request and returns it with its id.
  func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure
  /// The request with this id; nil when there is none.
  func erasure(_ id: Int64) throws -> Erasure?
  /// The number of deletions that were carried out.
  func finishedErasures() throws -> Int
  /// The waiting requests, oldest first.
  func waitingErasures() throws -> [Erasure]
  /// Stores what was deleted so far, for the statement of an interrupted request.
  func note(_ id: Int64, deleted: String) throws
  /// Stores the result of a request.
  func finish(_ id: Int64, statement: String, isRefused: Bool, at now: Timestamp) throws
  /// Deletes the control database's records of an app: incidents, silences, decisions, row counts.
  func eraseRecords(of app: AppID) throws
}

/// The result of a deletion: what was deleted, and what could not be deleted.
public struct ErasureFindings: Sendable, Equatable {
  /// The numbers of deleted rows by their kind.
  public private(set) var counts: [(name: String, count: Int)] = []
  /// Sentences about the data that remains, and until when.
  public var remains: [String] = []

  public init() {}

  /// Adds to the number of deleted rows of a kind.
  public mutating func add(_ count: Int, _ name: String) {
    if let index = counts.firstIndex(where: { $0.name == name }) {
      counts[index].count = counts[index].count.saturatingAdd(count)
    } else {
      counts.append((name, count))
    }
  }

  /// Whether there was nothing to delete.
  public var isEmpty: Bool { counts.allSatisfy { $0.count == 0 } }

  public static func == (left: Self, right: Self) -> Bool {
    left.remains == right.remains && left.counts.elementsEqual(right.counts) { $0 == $1 }
  }
}

/// The reason why a part of the data cannot be deleted without making the rest wrong.
public struct ErasureRefused: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
