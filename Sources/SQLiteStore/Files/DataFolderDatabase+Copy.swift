import Core
import Foundation
import GRDB

extension DataFolderDatabase {
  /// Copies the database at `path`, in a consistent state, to the new file `target`. Others may read and write it in
  /// the meantime. The copy needs no other file, and is on disk when this returns.
  ///
  /// `progress`: receives the number of bytes copied by each step.
  public static func copy(_ path: String, to target: String, progress: @escaping (Int) -> Void = { _ in }) throws {
    try read(path) { source in
      try Connections.naming(target) {
        let copy = try DatabaseQueue(path: target, configuration: Connections.configuration(.normal))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        try copy.writeWithoutTransaction { destination in
          try Connections.naming(path) {
            try source.read { database in
              // A first read fixes the state that all steps copy.
              let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
              _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
              var left: Int?
              try database.backup(to: destination, pagesPerStep: 2_000) { step in
                progress(((left ?? step.totalPageCount) - step.remainingPageCount) * pageSize)
                left = step.remainingPageCount
              }
            }
          }
          try destination.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try copy.close()
      }
    }
    try DurableFile.sync(target)
  }
}
