import Access
import ArgumentParser
import Budgets
import Foundation
import Health
import SQLiteStore
import Storage
import Telemetry

/// A data folder with its databases, opened.
struct Installation {
  let folder: DataFolder
  let control: any ControlStore & RowLedger

  /// Opens the folder and makes what is missing. Databases of an older Plumb are migrated only by those who may.
  static func creating(_ path: String, migrates: Bool = false) throws -> Installation {
    let folder = try DataFolder(creating: path)
    return Installation(folder: folder, control: try SQLiteControlStore(folder: folder.url.path, migrates: migrates))
  }

  /// Opens a folder that exists.
  static func existing(_ path: String) throws -> Installation {
    guard let folder = DataFolder(existing: path) else {
      throw Failure(
        "There is no data folder at \(path). `plumb app add com.example.shop` makes one; `--data` names another.")
    }
    return Installation(folder: folder, control: try SQLiteControlStore(folder: folder.url.path))
  }

  func store(samples: SQLiteDiagnosticBodies? = nil, migrating: Bool = false) throws -> SQLiteStore {
    let isNew = !FileManager.default.fileExists(atPath: folder.plumb)
    return try SQLiteStore(path: folder.plumb, samples: samples, migrating: migrating || isNew)
  }

  /// The app called `bundleID`.
  func app(_ bundleID: String) throws -> App {
    guard let app = try control.app(bundleID: bundleID) else { throw ControlError.noSuchApp(bundleID) }
    return app
  }

  /// The apps a command is about: the one that was named, or all.
  func apps(_ bundleID: String?) throws -> [App] {
    if let bundleID { return [try app(bundleID)] }
    let all = try control.apps()
    guard !all.isEmpty else { throw Failure("There are no apps yet. `plumb app add com.example.shop` adds one.") }
    return all
  }
}

/// An error that is one sentence for people.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The wall clock.
enum Clock {
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
