import CBuildInfo
import Core
import Foundation
import SQLiteStore
import Synchronization

/// The version of this binary, its commit, its libraries and the schemas it writes.
public enum BuildVersion {
  /// The version of the product, as in `CHANGELOG.md`. `deploy/release` changes it.
  public static let number = "0.1.0"

  /// The commit the binary was built from, with `-modified` if files differed from it; nil for a development build.
  static let commit: String? = {
    let text = String(cString: plumb_commit())
    return text.isEmpty ? nil : text
  }()

  /// The libraries that are loaded, with their versions.
  static let libraries: [(name: String, version: String)] = {
    var found = [plumb_library](repeating: plumb_library(name: nil, version: nil), count: 16)
    let count = min(plumb_libraries(&found, found.count), found.count)
    return found.prefix(count).map { (String(cString: $0.name), String(cString: $0.version)) }
  }()

  /// The databases with the number of their newest migration.
  static let schemas: [(database: String, version: Int)] = [
    ("control.db", Migrations.control.count), ("journal.db", Migrations.journal.count),
    ("plumb.db", Migrations.plumb.count), ("samples.db", Migrations.samples.count),
  ]

  /// The version, commit, libraries and schemas as lines of text.
  public static var text: String {
    let libraries = libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
    let schemas = schemas.map { "\($0.database) \($0.version)" }.joined(separator: ", ")
    return """
      plumb \(number)
      commit: \(commit ?? "unknown (a development build)")
      libraries: \(libraries)
      schemas: \(schemas)
      """
  }

  /// The version, commit, libraries and schemas as one JSON object and a line break.
  public static func json() -> [UInt8] {
    let object = JSONOutput.object([
      ("version", .string(number)), ("commit", .optional(commit)),
      ("libraries", .object(libraries.map { ($0.name, .string($0.version)) })),
      ("schemas", .object(schemas.map { ($0.database, .count($0.version)) })),
    ])
    return object.encoded() + [UInt8(ascii: "\n")]
  }
}

/// The version of all data behind the pages, kept in memory. It differs after every change.
///
/// Changes by this process count at once. Changes of the databases and budget files by other processes are detected
/// within half a second, by the sizes and modification times of the files.
final class DataVersion: Sendable {
  private let count = Atomic<UInt64>(1)
  private let seen = Mutex<UInt64>(0)
  private let files: @Sendable () -> UInt64

  init(_ folder: DataFolder, _ budgets: BudgetRepository) {
    files = { Self.files(folder, budgets) }
    _ = look()
  }

  var current: UInt64 { count.load(ordering: .acquiring) }

  /// Notes a change by this process, and the resulting state of the files.
  func note() {
    seen.withLock { $0 = files() }
    count.add(1, ordering: .releasing)
  }

  /// Compares the files with their last state. Returns whether they have changed.
  func look() -> Bool {
    let isChanged = seen.withLock { seen in
      let now = files()
      defer { seen = now }
      return now != seen
    }
    if isChanged { count.add(1, ordering: .releasing) }
    return isChanged
  }

  private static func files(_ folder: DataFolder, _ budgets: BudgetRepository) -> UInt64 {
    var hash = StableHash()
    budgets.addVersion(to: &hash)
    for name in ["plumb.db", "plumb.db-wal", "control.db", "control.db-wal"] {
      add(file: folder.url.appendingPathComponent(name).path, to: &hash)
    }
    return hash.value
  }

  /// Adds the modification time and size of a file to a hash. A missing file counts as size -1.
  static func add(file path: String, to hash: inout StableHash) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let modified = attributes?[.modificationDate] as? Date
    hash.add(modified?.timeIntervalSince1970.bitPattern ?? 0)
    hash.add(UInt64((attributes?[.size] as? Int ?? -1) + 1))
  }
}
