import Foundation

/// SQLite's own program, so that what the tests do to a file does not pass through Plumb's code.
enum SQLFile {
  static func run(_ sql: String, in path: String) throws { _ = try output(sql, path) }

  static func number(_ sql: String, in path: String) throws -> Int? {
    Int(try output(sql, path).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  static func output(_ sql: String, _ path: String) throws -> String {
    try output("/usr/bin/sqlite3", ["-cmd", ".timeout 10000", path, sql])
  }

  /// What another program says.
  static func output(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}
