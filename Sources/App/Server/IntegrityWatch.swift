import Foundation
import SQLiteStore

/// Looks for damage that payloads may not meet for long: every five seconds whether the databases of a server are the files
/// that it opened; at their pages at the start and once a day, of those without which no payload is kept every hour.
final class IntegrityWatch {
  /// Seconds between two looks.
  static let interval = 5.0
  private static let looksOfHour = 720
  private static let needed: Set<DatabaseFile> = [.journal, .control]

  private let readiness: Readiness
  private let folder: DataFolder
  private let opened: [(file: DatabaseFile, inode: UInt64?)]
  private var looks = 0

  /// `files`: the databases that the server has opened.
  init(_ readiness: Readiness, _ folder: DataFolder, _ files: [DatabaseFile]) {
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
        readiness.note(try DatabaseFile.damage(at: path), of: file)
      }
    }
  }

  /// The file's number in its file system; nil if there is none.
  private static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
