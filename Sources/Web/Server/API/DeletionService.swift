public import Core
public import Storage
import Synchronization

/// Accepts requests to delete. The process that digests carries them out.
public protocol DeletionService: Sendable {
  /// Stores a request. Throws `ErasureQueueFull` if too many requests of the app are waiting.
  func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure
  /// The data that a request would find, one line per kind.
  func trial(_ scope: ErasureScope, of app: App) throws -> [String]
  /// The request with a number; nil if there is none.
  func erasure(_ id: Int64) throws -> Erasure?
}

/// The error if too many requests of an app are waiting.
public struct ErasureQueueFull: Error, CustomStringConvertible {
  let waiting: Int

  public init(waiting: Int) { self.waiting = waiting }

  public var description: String { "\(waiting) deletions of this app are waiting. Try again when some are done." }
}
