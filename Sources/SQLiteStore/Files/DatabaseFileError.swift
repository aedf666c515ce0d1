import Foundation
import GRDB

/// The error for a database that cannot be opened, read or written, with its path.
public struct DatabaseFileError: Error, CustomStringConvertible {
  let path: String
  let cause: DatabaseError

  /// The database of the data folder; nil for another file.
  public var file: DataFolderDatabase? { DataFolderDatabase(rawValue: URL(fileURLWithPath: path).lastPathComponent) }

  /// Whether the cause is damaged content, not the disk or another process.
  public var isDamage: Bool { Self.isDamage(cause) }

  /// Whether an error means that the content of a database is damaged.
  public static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? DatabaseFileError { return error.isDamage }
    return (error as? DatabaseError).map(isDamage) ?? false
  }

  static func isDamage(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
  }

  /// The error of a database without its SQL statement; nil for other errors.
  public static func text(_ error: any Error) -> String? {
    guard let cause = error as? DatabaseError ?? (error as? DatabaseFileError)?.cause else { return nil }
    return "\(cause.message ?? "\(cause.resultCode)") (SQLite \(cause.resultCode.rawValue))"
  }

  public var description: String { "\(path): \(Self.text(self) ?? "")" }
}
