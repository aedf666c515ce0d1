import Dispatch
import Foundation
import Logging
import SQLiteStore

/// Looks for damage that payloads may not meet for long, while a server runs: every five seconds whether its databases are the
/// files that it opened; at their pages at the start and once a day, of those without which no payload is kept every hour.
final class IntegrityTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  private static let ticksOfHour = 720
  private static let needed: Set<DatabaseFile> = [.journal, .control]

  /// `files`: the databases that the server has opened. `after`: seconds until the first look.
  init(
    _ readiness: Readiness, _ folder: DataFolder, _ files: [DatabaseFile], _ logger: Logger, after seconds: Double = 1
  ) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.integrity", qos: .background))
    timer.schedule(deadline: .now() + seconds, repeating: 5)
    let opened = files.map { Self.inode(folder.path(of: $0)) }
    var tick = 0
    timer.setEventHandler {
      let (isHour, isDay) = (tick % Self.ticksOfHour == 0, tick % (24 * Self.ticksOfHour) == 0)
      tick += 1
      for (file, inode) in zip(files, opened) {
        let path = folder.path(of: file)
        guard Self.inode(path) == inode else {
          readiness.noteReplaced(file)
          continue
        }
        guard isDay || isHour && Self.needed.contains(file) else { continue }
        do {
          readiness.note(try DatabaseFile.damage(at: path), of: file)
        } catch {
          logger.error("The pages of \(file.rawValue) cannot be checked: \(error)")
        }
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }

  /// The file's number in its file system; nil if there is none.
  private static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
