import Foundation

/// The contents of a backup: the file `manifest.json`, which is written last.
public struct BackupManifest: Codable, Equatable, Sendable {
  /// The version of the backup's layout.
  var format = Self.currentFormat
  /// When the backup was made, ISO 8601 in UTC.
  public var made: String
  /// The identity of the folder's journal; nil for a folder that has never received payloads.
  var node: String?
  /// The sequence of the last record that is applied in the copy of `plumb.db`.
  var watermark: Int64
  /// The sequence of the last record in the copy of the journal.
  public var lastRecord: Int64
  /// The last migration of each database, by file name.
  var schemas: [String: String]
  public var files: [Entry]
  /// The files of the folder that could not be read and are not in the backup.
  public var leftOut: [Omission]

  /// A file of the backup.
  public struct Entry: Codable, Equatable, Sendable {
    /// The path below the folder, such as `symbols/4C/4C4C.macho`.
    var path: String
    var size: Int
    /// The digest in hexadecimal digits.
    var sha256: String
    /// The source's modification time in seconds since 1970, which the next backup compares to find changes.
    var modified: Int
  }

  /// A file that is not in the backup, and the reason.
  public struct Omission: Codable, Equatable, Sendable {
    public var path: String
    public var reason: String
  }

  static let fileName = "manifest.json"
  static let currentFormat = 1
  /// The most bytes of a manifest. 200,000 symbol files take about 40 MB.
  static let largest = 256 << 20

  /// The bytes of all files.
  public var size: Int { files.reduce(0) { $0 + $1.size } }
  /// The number of journal records that the copy of `plumb.db` has not applied.
  public var waiting: Int64 { max(0, lastRecord - watermark) }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }

  /// Reads a manifest. Throws `BackupError` for anything else, and for a newer version.
  static func decode(_ bytes: Data, of source: String) throws -> BackupManifest {
    struct Version: Decodable { let format: Int }
    guard let version = try? JSONDecoder().decode(Version.self, from: bytes) else {
      throw BackupError("\(source): \(fileName) is damaged. Use another backup.")
    }
    guard version.format <= currentFormat else {
      throw BackupError("\(source) was created by a newer version of Plumb. Use that version, or a later one.")
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

  /// The largest valid number. Sums of valid numbers cannot overflow.
  private static let largestNumber: Int64 = 1 << 60

  /// Whether names, sizes and sequences are valid.
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

  /// A text without control characters, which a terminal could execute.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}

/// The error of a backup that cannot be made, read or restored: a sentence with the remedy.
struct BackupError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The files of a data folder that are in a backup.
enum BackupContents {
  /// The file name of the secret.
  static let secret = "secret"
  static let files = [secret, "store.yaml"]
  static let folders = ["budgets", "symbols"]

  /// Whether a manifest's path is valid in a backup. A valid path cannot lead out of the folder.
  static func isPath(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard path.utf8.count < 1024, path.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }),
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
    else { return false }
    if parts.count == 1 { return files.contains(path) || path.hasSuffix(".db") }
    return folders.contains(String(parts[0])) && parts.count < 5
  }
}
