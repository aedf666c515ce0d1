import Foundation
import SQLiteStore
import Storage
import Web

/// An ingest node's data folder: a journal, a copy of the primary's apps and keys, and its secret.
struct NodeFolder {
  let journal: SQLiteJournal
  let control: SQLiteControlStore
  let secret: [UInt8]
  /// The tag of the configuration that was just copied; nil if the configuration is from an earlier start.
  let tag: String?

  /// The folder at `path`, which is created if it is missing. Throws for the folder of an installation.
  static func prepared(_ path: String) throws -> DataFolder {
    let folder = try DataFolder(creating: path)
    let hasRows =
      try FileManager.default.fileExists(atPath: folder.plumb) && SQLiteStore.largestApp(in: folder.plumb) > 0
    guard !hasRows else {
      throw UserFacingError(
        "--data: \(folder.url.path) is the folder of a primary. An ingest node starts with an empty folder.")
    }
    return folder
  }

  /// Opens the folder. At the first start, copies the configuration into it.
  init(_ folder: DataFolder, _ client: PrimaryClient) throws {
    control = try SQLiteControlStore(folder: folder.url.path, migrates: true)
    journal = try SQLiteJournal(path: folder.journal, isOfNode: true) { _ in 0 }
    client.note(try journal.epoch())
    // The relay's state is created after the configuration, so that an interrupted first start is repeated.
    guard try journal.relayState() == nil else {
      (secret, tag) = (try SecretFile.read(in: folder.url.path), nil)
      return
    }
    guard try journal.lastSequence() == 0 else {
      throw UserFacingError(
        "--data: \(folder.journal) is the journal of a primary. An ingest node starts with an empty folder.")
    }
    do {
      guard let (configuration, tag) = try client.configuration(known: nil) else {
        throw ForeignPrimary(address: client.address)
      }
      secret = try SecretFile.readOrCreate(in: folder.url.path, content: configuration.secret)
      guard secret == configuration.secret else { throw ForeignPrimary(address: client.address) }
      try control.copy(apps: configuration.apps, tokens: configuration.tokens)
      self.tag = tag
    } catch let failure as PrimaryClient.Failure {
      throw UserFacingError(
        "At its first start, an ingest node must reach its primary for apps and keys: \(failure).")
    }
    _ = try journal.openRelay()
  }
}
