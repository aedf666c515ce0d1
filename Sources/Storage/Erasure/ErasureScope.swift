public import Core

/// What of an app is deleted.
public enum ErasureScope: Sendable, Hashable {
  /// Everything, with the app itself.
  case app
  /// A version with all its builds, or one build: a release's title.
  case release(String)
  /// What happened on these days, by the app's clocks.
  case days(Window)
  /// A metric by its name.
  case metric(String)
  /// A label of a metric, with its values.
  case label(String, metric: String)
  /// The payload that was sent with an idempotency key, by the key's hash.
  case payload(UInt64)
  /// Sessions and diagnostics of a user or installation, by the hash of its id.
  case user(UInt64)
}

extension ErasureScope {
  /// The kind and the subject as they are stored.
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

  /// Reads what `stored` gives; nil for anything else.
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

  /// The scope in a statement: `the release 4.2.0`. Of a user or payload only the hash is known.
  public var title: String {
    switch self {
    case .app: "the app with everything it sent"
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

/// A request to delete a part of an app's data, from the moment it is made until its statement was read.
public struct Erasure: Sendable, Identifiable {
  public let id: Int64
  public let app: AppID
  /// The bundle identifier, which the statement names after the app is gone.
  public let bundleID: String
  public let scope: ErasureScope
  public let requested: Timestamp
  /// The user, token or command that asked for it.
  public let requestedBy: String
  /// When it was carried out or refused; nil while it waits.
  public let finished: Timestamp?
  /// What was deleted and what remains, or why nothing was; empty while it waits.
  public let statement: String
  /// Whether it was refused, with the reason as its statement.
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
  /// The request as an entry of the audit log.
  public var event: AuditEvent {
    AuditEvent("data.delete", app: bundleID, subject: scope.title, detail: "deletion \(id)")
  }
}

/// Stores requests to delete, so that the process that digests carries them out, and one that was killed goes on.
public protocol ErasureRequests: RewritableFile {
  /// Stores a request. The result has its id.
  func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure
  /// The request with this id; nil when there is none.
  func erasure(_ id: Int64) throws -> Erasure?
  /// The requests that wait, oldest first.
  func waitingErasures() throws -> [Erasure]
  /// Stores what was deleted so far, for the statement of a request that is interrupted.
  func note(_ id: Int64, deleted: String) throws
  /// Stores what came of a request.
  func finish(_ id: Int64, statement: String, isRefused: Bool, at now: Timestamp) throws
  /// Deletes what the control database has about an app: incidents, silences, decisions, counts of rows.
  func eraseRecords(of app: AppID) throws
}

/// What a deletion found, and what it could not delete.
public struct ErasureFindings: Sendable, Equatable {
  /// The deleted rows by what they hold.
  public private(set) var counts: [(name: String, count: Int)] = []
  /// Sentences about what is left, and until when.
  public var remains: [String] = []

  public init() {}

  /// Adds to the count of a kind of rows.
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

/// Why a part of the data cannot be deleted so that the rest stays right.
public struct ErasureRefused: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// A file with rows that can be written anew, so that no byte of deleted ones is left in it.
public protocol RewritableFile: Sendable {
  /// Writes the file anew. `room`: the bytes that the disk has.
  func rewrite(room: Int) throws -> FileRewrite
  /// Empties the log of a file that was written anew. False while someone reads what it was before.
  func emptyLog() throws -> Bool
}

/// What came of writing a file anew.
public enum FileRewrite: Sendable, Equatable {
  case done
  /// Nothing: the disk has fewer than these bytes.
  case needs(bytes: Int)
  /// It is written, but its log has the old pages until who reads them is done.
  case isRead
}
