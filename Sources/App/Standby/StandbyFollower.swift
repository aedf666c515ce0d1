import Core
import Foundation
import Logging
import SQLiteStore
import Storage
import Symbols
import Synchronization

/// How far a standby has followed its primary, for pages, `/readyz` and `/metrics`.
final class StandbyState: Sendable {
  private struct Values {
    let started = WallClock.now()
    var current: Timestamp?
    var failure: String?
  }

  let primary: String
  private let values = Mutex(Values())

  init(primary: String) { self.primary = primary }

  /// Notes that the standby has all that the primary had at `time`.
  func noteCurrent(at time: Timestamp) { values.withLock { ($0.current, $0.failure) = (time, nil) } }

  /// Notes why the primary cannot be followed. Returns whether the reason is new.
  @discardableResult func noteFailure(_ text: String) -> Bool {
    values.withLock { values in
      defer { values.failure = text }
      return values.failure != text
    }
  }

  /// How old the data is at `now`, in milliseconds; since the start while it was never current.
  func age(at now: Timestamp) -> Int64 {
    max(0, now.milliseconds - values.withLock { $0.current ?? $0.started }.milliseconds)
  }

  /// The state as sentences, for pages and `/readyz`.
  var text: String {
    let (current, failure) = values.withLock { ($0.current, $0.failure) }
    let age = current.map { "Data as of \($0.iso.dropFirst(11).prefix(8)) UTC." } ?? "The data is being updated."
    return "Standby of \(primary), read-only. \(age)" + (failure.map { " It cannot be followed: \($0)." } ?? "")
  }
}

/// Follows a primary: appends its records to the own journal, and replaces the own control database, symbols and
/// budgets when they change. The own pipeline digests the records.
///
/// The position is the end of the own journal, so it survives a crash of either side.
final class StandbyFollower {
  /// Why following ended.
  enum Ending: Equatable {
    /// The primary deleted data or purged records that this folder lacks, so it must be copied again.
    case needsCopy
    case stopped
  }

  private var client: StandbyClient
  private let pipeline: Pipeline
  private let control: SQLiteControlStore
  private let symbols: SymbolFolder
  private let state: StandbyState
  private let erasures: Int
  /// Whether the disk has space for records.
  private let hasRoom: () -> Bool
  private let logger: Logger
  private var controlTag: String?
  private var peers: [String] = []
  private var filesTag: String?
  /// When `control.db` may be copied again: copying takes at most a fifth of the time.
  private var nextControl = ContinuousClock.now
  /// The epoch of the primary.
  private(set) var epoch: Epoch?

  /// The seconds between two questions. Together with a question, this bounds what is lost with the primary.
  static let interval = 0.25
  private static let longestPause = 5.0

  init(
    _ client: StandbyClient, _ pipeline: Pipeline, _ control: SQLiteControlStore, _ symbols: SymbolFolder,
    _ state: StandbyState, erasures: Int, _ logger: Logger, hasRoom: @escaping () -> Bool
  ) {
    (self.client, self.pipeline, self.control, self.symbols) = (client, pipeline, control, symbols)
    (self.state, self.erasures, self.logger, self.hasRoom) = (state, erasures, logger, hasRoom)
  }

  /// Follows until `isStopping`, which is also asked between two questions.
  func run(_ isStopping: @escaping @Sendable () -> Bool) -> Ending {
    client.isStopping = isStopping
    defer { client.isStopping = { false } }
    var failures = 0
    while !isStopping() {
      var pause = Self.interval
      do {
        switch try step() {
        case .behind: pause = 0
        case .current: break
        case .needsCopy: return .needsCopy
        }
        failures = 0
      } catch is CancellationError {
        return .stopped
      } catch {
        if state.noteFailure("\(error)") { logger.warning("The primary cannot be followed: \(error).") }
        failures += 1
        pause = min(Self.longestPause, Self.interval * pow(2, Double(min(failures, 8))))
      }
      // Short sleeps, so that a promotion does not wait.
      let end = ContinuousClock.now + .seconds(pause)
      while ContinuousClock.now < end, !isStopping() { Thread.sleep(forTimeInterval: min(pause, 0.1)) }
    }
    return .stopped
  }

  enum Step: Equatable {
    /// More records follow at once.
    case behind
    /// The folder has all that the primary had at the start of the step.
    case current
    case needsCopy
  }

  /// Asks once, and stores the answer. `followsSuperseded`: whether to follow a primary that was superseded.
  func step(followsSuperseded: Bool = false) throws -> Step {
    let start = WallClock.now()
    guard hasRoom() else { throw UserFacingError("the disk of this standby has no space for records") }
    let (last, check) = try pipeline.journal.followPosition()
    let frame = try client.frame(after: last, check: check, erasures: erasures)
    epoch = frame.epoch
    let own = try pipeline.journal.epoch()
    guard frame.epoch.number >= own.number else {
      throw UserFacingError(
        "\(client.address) belongs to epoch \(frame.epoch.number), which ended; this is \(own.number)")
    }
    if let successor = frame.epoch.successor ?? own.successor, !followsSuperseded {
      throw UserFacingError(
        "\(client.address) was replaced by \(successor.address). Start this standby with an empty folder and "
          + "--standby-of \(successor.address)")
    }
    let excerpt: JournalExcerpt
    switch frame.reading {
    case .purged: return .needsCopy
    case .diverged:
      throw UserFacingError(
        "\(client.address) does not have record \(last) of this standby, so it was restored from a backup or replaced. "
          + "Promote this standby, or start it with an empty folder")
    case .excerpt(let found): excerpt = found
    }
    try pipeline.follow(excerpt)
    if frame.epoch.number > own.number { try pipeline.journal.raise(epoch: frame.epoch) }
    if peers != frame.peers {
      for peer in frame.peers { try pipeline.journal.note(peer: peer, at: start) }
      peers = frame.peers
    }
    guard excerpt.end != nil else { return .behind }
    if controlTag != frame.controlTag, ContinuousClock.now >= nextControl {
      try copyControl()
      controlTag = frame.controlTag
    }
    if filesTag != frame.filesTag {
      try copyFiles()
      filesTag = frame.filesTag
    }
    if controlTag == frame.controlTag { state.noteCurrent(at: start) }
    return .current
  }

  private func copyControl() throws {
    let start = ContinuousClock.now
    let path = pipeline.folder.url.path + "/control.db.copy"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(client.control()).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try control.replaceContent(with: path)
    pipeline.noteErasure()
    nextControl = .now + start.duration(to: .now) * 4
  }

  /// Makes symbols and budgets equal to the primary's.
  private func copyFiles() throws {
    let root = pipeline.folder.url.path + "/"
    let entries = try client.files().filter { entry in
      BackupContents.folders.contains { entry.path.hasPrefix($0 + "/") }
    }
    let files = FileManager.default
    var isChanged = false
    for entry in entries {
      let known = try? FileStatus(root + entry.path)
      // The time of symbols is that of their last use.
      guard known?.size != entry.size || (entry.path.hasPrefix("budgets/") && known?.modified != entry.modified) else {
        continue
      }
      let incoming = root + "symbols/incoming/standby"
      try client.download(entry, ofCopy: false, to: incoming)
      try files.createDirectory(
        atPath: URL(fileURLWithPath: root + entry.path).deletingLastPathComponent().path,
        withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      guard rename(incoming, root + entry.path) == 0 else {
        throw BackupError("\(root + entry.path) cannot be written: \(String(cString: strerror(errno))).")
      }
      isChanged = true
    }
    let kept = Set(entries.map(\.path))
    for stored in symbols.all() where !kept.contains("symbols/\(stored.uuid.prefix(2))/\(stored.uuid).macho") {
      _ = symbols.remove(uuid: stored.uuid)
    }
    for name in (try? files.contentsOfDirectory(atPath: root + "budgets")) ?? []
    where name.hasSuffix(".yaml") && !kept.contains("budgets/" + name) {
      try files.removeItem(atPath: root + "budgets/" + name)
    }
    if isChanged { symbols.noteChange() }
  }
}
