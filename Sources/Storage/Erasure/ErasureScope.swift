public import Core

/// The part of an app's data that is deleted.
public enum ErasureScope: Sendable, Hashable {
  /// Everything, with the app itself.
  case app
  /// A version with all its builds, or one build: a release's title.
  case release(String)
  /// Data with these days, by the app's clocks.
  case days(Window)
  /// A metric, by name.
  case metric(String)
  /// A label of a metric with its values.
  case label(String, metric: String)
  /// The payload that was sent with an idempotency key, by the hash of the key.
  case payload(UInt64)
  /// Sessions and diagnostics of a user or installation, by the hash of its id.
  case user(UInt64)
}

extension ErasureScope {
  /// The kind and the subject in their stored form.
  public var stored: (kind: String, subject: String) {
    switch self {
    case .app: ("app", "")
    case .release(let title): ("release", title)
    case .days(let window): ("days", "\(window.from.iso)..\(window.to.iso)")
    case .metric(let name): ("metric", name)
    case .label(let label, let metric): ("label", metric + "\n" + label)
    case .payload(let key): ("payload", String(key, radix: 16))
    case .user(let user): ("user", String(user, radix: 16))
    }
  }

  /// Parses the form of `stored`; nil for any other text.
  public init?(kind: String, subject: String) {
    switch kind {
    case "app": self = .app
    case "release": self = .release(subject)
    case "days":
      guard let middle = subject.firstRange(of: ".."),
        let from = CalendarDay(iso: String(subject[..<middle.lowerBound])),
        let to = CalendarDay(iso: String(subject[middle.upperBound...])), from <= to
      else { return nil }
      self = .days(Window(from: from, to: to))
    case "metric": self = .metric(subject)
    case "label":
      guard let middle = subject.firstIndex(of: "\n") else { return nil }
      self = .label(String(subject[subject.index(after: middle)...]), metric: String(subject[..<middle]))
    case "payload", "user":
      guard let hash = UInt64(subject, radix: 16) else { return nil }
      self = kind == "user" ? .user(hash) : .payload(hash)
    default: return nil
    }
  }

  /// The scope as a phrase: `the release 4.2.0`. For a user or a payload only the hash is known.
  public var title: String {
    switch self {
    case .app: "the app and all its data"
    case .release(let title): "the release \(title)"
    case .days(let window):
      window.days == 1 ? "the day \(window.from.iso)" : "the days \(window.from.iso) to \(window.to.iso)"
    case .metric(let name): "the metric \(name)"
    case .label(let label, let metric): "the label \(label) of the metric \(metric)"
    case .payload(let key): "the payload with the key whose hash is \(String(key, radix: 16))"
    case .user(let user): "the user or installation whose hash is \(String(user, radix: 16))"
    }
  }
}

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
      counts[index].count = counts[index].count.addingSaturated(count)
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

/// A database file that can be rewritten, so that it keeps no bytes of deleted rows.
public protocol RewritableFile: Sendable {
  /// Rewrites the file. `room`: the free bytes of the disk.
  func rewrite(room: Int) throws -> FileRewrite
  /// Empties the log of a rewritten file. Returns false while a reader uses an older state.
  func emptyLog() throws -> Bool
}

/// The result of rewriting a file.
public enum FileRewrite: Sendable, Equatable {
  case done
  /// The file was not rewritten: the disk has fewer than these bytes.
  case needs(bytes: Int)
  /// The file is rewritten, but its log keeps the old pages until the current readers are done.
  case isRead
}
