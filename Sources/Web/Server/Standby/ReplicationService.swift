import Core
import Storage

/// The services of a primary for its standbys, and of every server for its peers.
public protocol ReplicationService: Sendable {
  /// The version of the protocol and of the databases. A standby must have the same.
  var version: String { get }
  /// What a standby's journal lacks, with the state of the primary.
  func records(_ position: StandbyPosition) throws -> [UInt8]
  /// The content of `control.db`, compressed.
  func controlDatabase() throws -> [UInt8]
  /// The manifest of a copy of the data folder; nil while the copy is being made.
  func copy() throws -> [UInt8]?
  /// The symbols and budgets, as a manifest.
  func files() throws -> [UInt8]
  /// A part of a file from an offset on. `ofCopy`: whether it is the copy's, or the current one. Nil if there is none.
  func file(_ path: String, from offset: Int, ofCopy: Bool) throws -> [UInt8]?
  /// Notes the epoch of another server, and returns this server's. Nil for a claim that is not signed.
  func exchange(_ claim: [UInt8]) throws -> [UInt8]?
}

/// How far a standby has followed its primary.
public struct StandbyPosition: Sendable, Equatable {
  /// The last sequence of its journal.
  public var after: Int64
  /// The checksum of its last batch; nil without one.
  public var check: UInt64?
  /// The number of deletions that the primary had carried out when the standby's folder was copied.
  public var erasures: Int
  /// The address at which the standby can be asked whether it was promoted.
  public var address: String
}
