import Foundation
import SQLiteStore
import Storage
import Web

/// An ingest node's data folder: a journal, a copy of the primary's apps and keys, and its secret.
struct NodeFolder {
  let journal: SQLiteJournal
  let control: SQLiteControlStore
  let secret: [UInt8]
  /// The tag of the configuration that was just copied; nil if it is of an earlier start.
  let tag: String?

  /// The folder at `path`, which is made if there is none. Throws for the folder of a whole installation.
  static func prepared(_ path: String) throws -> DataFolder {
    let folder = try DataFolder(creating: path)
    let hasRows =
      try FileManager.default.fileExists(atPath: folder.plumb) && SQLiteStore.largestApp(in: folder.plumb) > 0
    guard !hasRows else {
      throw UserFacingError(
        "\(folder.url.path) has the numbers of an installation of its own. An ingest node begins with an empty folder.")
    }
    return folder
  }

  /// Opens the folder, and copies the configuration into it at the first start.
  init(_ folder: DataFolder, _ client: PrimaryClient) throws {
    control = try SQLiteControlStore(folder: folder.url.path, migrates: true)
    journal = try SQLiteJournal(path: folder.journal, isOfNode: true) { _ in 0 }
    // Its relay begins after the configuration is there, so that a start that was interrupted begins anew.
    guard try journal.relayState() == nil else {
      (secret, tag) = (try SecretFile.read(in: folder.url.path), nil)
      return
    }
    guard try journal.lastSequence() == 0 else {
      throw UserFacingError(
        "\(folder.journal) has records of an installation of its own. An ingest node begins with an empty folder.")
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
        "At its first start an ingest node needs its primary, for apps and keys: \(failure). Later it goes on without.")
    }
    _ = try journal.openRelay()
  }
}
