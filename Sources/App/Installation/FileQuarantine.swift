import Core
import Foundation
import SQLiteStore

/// Quarantines damaged files that no reported number depends on, by renaming them.
enum FileQuarantine {
  /// Renames a file or folder, and the files with the same name and a suffix in `ends`, so that a new one can be
  /// created. Returns the new path.
  static func moveAway(_ path: String, with ends: [String] = []) throws -> String {
    let target = freePath(path, "damaged")
    for end in [""] + ends where FileManager.default.fileExists(atPath: path + end) {
      try FileManager.default.moveItem(atPath: path + end, toPath: target + end)
    }
    return target
  }

  /// An unused path beside `path`, with the reason and the time in its name.
  static func freePath(_ path: String, _ reason: String) -> String {
    let base = "\(path).\(reason)-" + WallClock.now().iso.filter { $0.isNumber || $0 == "T" }
    var number = 1
    while FileManager.default.fileExists(atPath: number == 1 ? base : "\(base)-\(number)") { number += 1 }
    return number == 1 ? base : "\(base)-\(number)"
  }
}

/// The error when a file that the folder's numbers depend on is missing.
struct LostFile: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ folder: DataFolder) {
    description = """
      \(path) is missing, and the numbers in \(folder.plumb) depend on it. Restore it from a backup. To start without \
      these numbers, move the folder's files away.
      """
  }
}
