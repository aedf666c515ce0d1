import Foundation
import SQLiteStore

/// Checks for damage that payloads may not touch for a long time. Every five seconds it checks that the databases are
/// still the opened files. At the start and once a day it checks their pages; those of the journal and of the control
/// database once an hour.
final class IntegrityWatch {
  /// Seconds between two checks.
  static let interval = 5.0
  private static let looksOfHour = 720
  private static let needed: Set<DataFolderDatabase> = [.journal, .control]

  private let readiness: Readiness
  private let folder: DataFolder
  private let opened: [(file: DataFolderDatabase, inode: UInt64?)]
  private var looks = 0

  /// `files`: the databases that the server has opened.
  init(_ readiness: Readiness, _ folder: DataFolder, _ files: [DataFolderDatabase]) {
    (self.readiness, self.folder) = (readiness, folder)
    opened = files.map { ($0, Self.inode(folder.path(of: $0))) }
  }

  func look(_ task: PeriodicTask) {
    let (isHour, isDay) = (looks % Self.looksOfHour == 0, looks % (24 * Self.looksOfHour) == 0)
    looks += 1
    for (file, inode) in opened {
      let path = folder.path(of: file)
      guard Self.inode(path) == inode else {
        readiness.noteReplaced(file)
        continue
      }
      guard isDay || isHour && Self.needed.contains(file) else { continue }
      task.attempt("The pages of \(file.rawValue) cannot be checked") {
        readiness.note(try DataFolderDatabase.damage(at: path), of: file)
      }
    }
  }

  /// The inode number of a file; nil if there is no file.
  private static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
