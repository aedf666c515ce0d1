import Foundation

/// What a backup holds: the file `manifest.json`, which is written last.
public struct BackupManifest: Codable, Equatable, Sendable {
  /// The version of the backup's layout.
  var format = Self.currentFormat
  /// When the backup was made, ISO 8601 in UTC.
  public var made: String
  /// The identity of the folder's journal; nil for a folder that never received anything.
  var node: String?
  /// The sequence of the last record that is applied in the copy of `plumb.db`.
  var watermark: Int64
  /// The sequence of the last record in the copy of the journal.
  public var lastRecord: Int64
  /// The last migration of each database, by file name.
  var schemas: [String: String]
  public var files: [Entry]
  /// What the folder has and the backup does not, because it could not be read.
  public var leftOut: [Omission]

  /// A file of the backup.
  public struct Entry: Codable, Equatable, Sendable {
    /// The path below the folder, such as `symbols/4C/4C4C.macho`.
    var path: String
    var size: Int
    /// In hexadecimal digits.
    var sha256: String
    /// The source's modification time in seconds since 1970, by which the next backup sees that it did not change.
    var modified: Int
  }

  /// A file that is not in the backup, and why.
  public struct Omission: Codable, Equatable, Sendable {
    public var path: String
    public var reason: String
  }

  static let fileName = "manifest.json"
  static let currentFormat = 1
  /// A manifest is not longer, in bytes: 200,000 files of symbols take some 40 MB.
  static let largest = 256 << 20

  /// The bytes of all files.
  public var size: Int { files.reduce(0) { $0 + $1.size } }
  /// The number of records in the journal that the copy of `plumb.db` has not applied yet.
  public var waiting: Int64 { max(0, lastRecord - watermark) }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }

  /// Reads a manifest. Throws `BackupError` for anything else, and for one of a newer version.
  static func decode(_ bytes: Data, of source: String) throws -> BackupManifest {
    struct Version: Decodable { let format: Int }
    guard let version = try? JSONDecoder().decode(Version.self, from: bytes) else {
      throw BackupError("\(source): \(fileName) is damaged. Use another backup.")
    }
    guard version.format <= currentFormat else {
      throw BackupError("\(source) was made by a newer version of Plumb. Use that version or a later one.")
    }
    guard var manifest = try? JSONDecoder().decode(BackupManifest.self, from: bytes), manifest.isConsistent else {
      throw BackupError("\(source): \(fileName) is damaged. Use another backup.")
    }
    for index in manifest.leftOut.indices {
      manifest.leftOut[index].path = printable(manifest.leftOut[index].path)
      manifest.leftOut[index].reason = printable(manifest.leftOut[index].reason)
    }
    return manifest
  }

  /// Larger numbers are none of a backup's; with smaller ones arithmetic cannot overflow.
  private static let largestNumber: Int64 = 1 << 60

  /// Whether names, sizes and sequences are such as `FolderBackup` writes.
  private var isConsistent: Bool {
    let numbers = 0...Self.largestNumber
    var sum: Int64 = 0
    for file in files {
      guard BackupContents.isPath(file.path), numbers.contains(Int64(file.size)) else { return false }
      sum += Int64(file.size)
      guard sum <= Self.largestNumber else { return false }
    }
    let paths = Set(files.map(\.path))
    return paths.count == files.count && schemas.keys.allSatisfy(paths.contains) && numbers.contains(watermark)
      && numbers.contains(lastRecord) && Self.printable(made) == made
  }

  /// A text without what a terminal takes for a command.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}

/// The error of a backup that cannot be made, read or restored: a sentence with what to do.
struct BackupError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Which files of a data folder are in a backup.
enum BackupContents {
  /// Files beside the databases.
  static let secret = "secret"
  static let files = [secret, "store.yaml"]
  static let folders = ["budgets", "symbols"]

  /// Whether a path of a manifest is one that backups have: it cannot lead out of the folder.
  static func isPath(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard path.utf8.count < 1024, path.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }),
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
    else { return false }
    if parts.count == 1 { return files.contains(path) || path.hasSuffix(".db") }
    return folders.contains(String(parts[0])) && parts.count < 5
  }
}
