import Foundation
import SQLiteStore
import Storage

/// The file `standby.json`, which makes a data folder a standby. It is removed by a promotion.
struct StandbyMarker: Codable, Equatable {
  /// The address of the primary.
  var primary: String
  /// The number of deletions that the primary had carried out before the folder was copied; nil before the first copy.
  var erasures: Int?

  /// The marker of a folder; nil if the folder is no standby. Throws for a damaged file.
  static func read(_ folder: DataFolder) throws -> StandbyMarker? {
    guard FileManager.default.fileExists(atPath: folder.standby) else { return nil }
    do {
      return try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: folder.standby)))
    } catch {
      throw UserFacingError(
        "\(folder.standby) is damaged. Move the folder away, and start the standby with an empty folder.")
    }
  }

  func write(_ folder: DataFolder) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: URL(fileURLWithPath: folder.standby), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.standby)
    try DurableFile.sync(folder.standby)
    try DurableFile.sync(folder.url.path)
  }

  static func remove(_ folder: DataFolder) throws {
    try FileManager.default.removeItem(atPath: folder.standby)
    try DurableFile.sync(folder.url.path)
  }

  /// Throws `StandbyIsReadOnly` for the folder of a standby.
  static func refuse(_ folder: DataFolder) throws {
    if let marker = try read(folder) { throw StandbyIsReadOnly(primary: marker.primary) }
  }
}

extension DataFolder {
  /// The file by which `plumb promote` asks the process that follows the primary. It contains `force`, or nothing.
  var promotionRequest: String { url.appendingPathComponent("promote.request").path }
  /// The file with which that process answers an attempt that failed.
  var promotionFailure: String { url.appendingPathComponent("promote.failure").path }
  /// Locked by the process that follows the primary.
  var standbyLock: String { url.appendingPathComponent("standby.lock").path }
}
