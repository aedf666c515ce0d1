import Core
import Foundation
public import Logging
import SQLiteStore
import Storage
import Synchronization

/// A standby: copies a primary's folder, follows the primary, serves its pages read-only, and becomes the primary when
/// `plumb promote` asks.
///
///     let standby = try StandbyServer(path, settings, options, source, logger: logger, ended: …)
///     standby.start()
///     …
///     try standby.stop()
public final class StandbyServer: @unchecked Sendable {
  // Invariant: everything but `shared` is used by the thread of `run` only, from `start` on.

  private let folder: DataFolder
  private let settings: Settings
  private var options: PlumbServer.Options
  private let client: StandbyClient
  private let lock: FolderLock
  private let logger: Logger
  private let ended: @Sendable () -> Void
  private let finished = DispatchSemaphore(value: 0)
  private let shared = Mutex<(isStopping: Bool, error: (any Error)?)>((false, nil))

  /// The seconds between two attempts to copy the primary's folder.
  private static let retryInterval = 5.0

  /// Prepares the folder. `ended`: called when the standby ends by itself; `stop` then throws the error. Throws
  /// `UserFacingError` for a folder with data of its own.
  public init(
    _ path: String, _ settings: Settings, _ options: PlumbServer.Options, of primary: PlumbServer.Options.Primary,
    logger: Logger, ended: @escaping @Sendable () -> Void
  ) throws {
    folder = try DataFolder(creating: path)
    (self.settings, self.options, self.logger, self.ended) = (settings, options, logger, ended)
    guard let lock = try FolderLock(path: folder.standbyLock) else {
      throw UserFacingError("Another standby is using the data folder \(folder.url.path).")
    }
    self.lock = lock
    client = StandbyClient(
      PrimaryClient.Server(address: primary.address, token: primary.token, caFile: primary.caFile),
      own: options.address)
    for path in [folder.promotionRequest, folder.promotionFailure] { try? FileManager.default.removeItem(atPath: path) }
    if let marker = try StandbyMarker.read(folder) {
      guard marker.primary == primary.address || marker.erasures == nil else {
        throw UserFacingError(
          "\(folder.url.path) is a standby of \(marker.primary). Start a standby of \(primary.address) with an empty "
            + "folder.")
      }
    } else {
      guard !FileManager.default.fileExists(atPath: folder.control) else {
        throw UserFacingError(
          "\(folder.url.path) has data of its own. Start a standby with an empty folder.")
      }
      try StandbyMarker(primary: primary.address, erasures: nil).write(folder)
    }
  }

  /// Whether the folder was promoted from a standby of this primary, so that it is the primary now.
  public static func isPromoted(_ path: String, from primary: String) throws -> Bool {
    guard let folder = DataFolder(existing: path), try StandbyMarker.read(folder) == nil,
      FileManager.default.fileExists(atPath: folder.journal)
    else { return false }
    return try SQLiteJournal(path: folder.journal) { _ in 0 }.epoch().previous == primary
  }

  /// Starts the thread that copies, follows and serves.
  public func start() {
    Thread.detachNewThread { [self] in
      do {
        try run()
      } catch {
        shared.withLock { $0.error = error }
      }
      finished.signal()
      ended()
    }
  }

  /// Ends the standby, or the primary that it became. Throws the error that ended it before.
  public func stop() throws {
    shared.withLock { $0.isStopping = true }
    finished.wait()
    if let error = shared.withLock({ $0.error }) { throw error }
  }

  private var isStopping: Bool { shared.withLock { $0.isStopping } }
  private var isAsked: Bool { FileManager.default.fileExists(atPath: folder.promotionRequest) }

  private func run() throws {
    var copied: (manifest: BackupManifest, erasures: Int)?
    while !isStopping {
      let isComplete = try StandbyMarker.read(folder)?.erasures != nil
      if copied == nil, !isComplete || DataFolder(existing: folder.url.path) == nil {
        logger.notice("Copying the data folder of \(client.address).")
        copied = try firstCopy()
        guard copied != nil else { return }
      }
      if let (manifest, erasures) = copied {
        try StandbyMarker(primary: client.address, erasures: nil).write(folder)
        try StandbyCopy(folder).publish(manifest)
        try StandbyMarker(primary: client.address, erasures: erasures).write(folder)
        copied = nil
      }
      let state = StandbyState(primary: client.address)
      options.standby = state
      let server = try PlumbServer(folder.url.path, settings, options, logger: logger)
      try server.start()
      options.listen = server.listening
      let follower = try server.follower(client, state)
      var isPromoted = false
      follow: while !isStopping {
        switch follower.run({ [self] in isStopping || isAsked }) {
        case .stopped where isAsked:
          isPromoted = promote(follower, server)
          if isPromoted { break follow }
        case .stopped: break
        case .needsCopy:
          logger.notice("\(client.address) no longer has what this standby lacks. Its data folder is copied again.")
          copied = copy(state)
          if copied != nil { break follow }
          pause()
        }
      }
      server.stop()
      if isPromoted { return try serveAsPrimary() }
    }
  }

  /// Copies the folder, and tries again while the primary cannot be reached; nil if the standby is to end.
  private func firstCopy() throws -> (manifest: BackupManifest, erasures: Int)? {
    let state = StandbyState(primary: client.address)
    while !isStopping {
      if let copied = copy(state) { return copied }
      pause()
    }
    return nil
  }

  private func pause() {
    let end = ContinuousClock.now + .seconds(Self.retryInterval)
    while ContinuousClock.now < end, !isStopping, !isAsked { Thread.sleep(forTimeInterval: 0.1) }
  }

  private func copy(_ state: StandbyState) -> (manifest: BackupManifest, erasures: Int)? {
    var client = client
    client.isStopping = { [self] in isStopping || isAsked }
    do {
      // Read before the copy is made: a deletion in between causes another copy.
      let erasures = try client.frame(after: 0, check: nil, erasures: 0).erasures
      return (try StandbyCopy(folder).fetch(from: client), erasures)
    } catch is CancellationError {
      return nil
    } catch {
      if state.noteFailure("\(error)") { logger.warning("The data folder cannot be copied: \(error).") }
      return nil
    }
  }

  private func promote(_ follower: StandbyFollower, _ server: PlumbServer) -> Bool {
    let forces = (try? String(contentsOfFile: folder.promotionRequest, encoding: .utf8)) == "force"
    do {
      try Promotion(folder, client, server, logger).run(follower, forces: forces)
      return true
    } catch {
      logger.error("The promotion failed: \(error)")
      try? Data("\(error)".utf8).write(to: URL(fileURLWithPath: folder.promotionFailure), options: .atomic)
      try? FileManager.default.removeItem(atPath: folder.promotionRequest)
      return false
    }
  }

  private func serveAsPrimary() throws {
    options.standby = nil
    let server = try PlumbServer(folder.url.path, settings, options, logger: logger)
    try server.start()
    // This is last, because `plumb promote` waits for it.
    try FileManager.default.removeItem(atPath: folder.promotionRequest)
    while !isStopping { Thread.sleep(forTimeInterval: 0.1) }
    server.stop()
  }
}
