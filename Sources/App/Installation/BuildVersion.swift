import CBuildInfo
import Core

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
    ("control.db", MigrationFiles.control.count), ("journal.db", MigrationFiles.journal.count),
    ("plumb.db", MigrationFiles.plumb.count), ("samples.db", MigrationFiles.samples.count),
  ]

  /// The version and the schemas, which a standby must share with its primary.
  static let replication = ([number] + schemas.map { "\($0.version)" }).joined(separator: "/")

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
