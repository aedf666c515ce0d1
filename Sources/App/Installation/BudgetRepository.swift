import Analysis
import Core
import Foundation
import SQLiteStore
import Storage
import Synchronization

/// Finds the budgets of an app: those of `--budgets FILE`, else of `budgets/BUNDLE_ID.yaml` in the data folder, else
/// the defaults.
///
/// A file is read again when its modification time has changed. While a file has an error, no older version of it is
/// used: `health` throws, and `shownHealth` has no budgets and holds the error.
final class BudgetRepository: Sendable {
  private let folder: URL
  private let file: String?
  /// The budgets that a request sent, and what messages call them; they replace every file.
  private let sent: (file: BudgetFile, name: String)?
  private let cache = Mutex<[String: Entry]>([:])

  private struct Entry {
    let modified: Date
    let file: BudgetFile
  }

  /// Creates a repository. `file`: the path of a budget file that replaces those in the data folder; nil for none.
  init(_ folder: DataFolder, file: String?) {
    self.folder = folder.url.appendingPathComponent("budgets", isDirectory: true)
    self.file = file
    sent = nil
  }

  /// Creates a repository of budgets that a request sent, which are used for it and stored nowhere. Throws
  /// `BudgetErrors` for a text that is no budget file.
  init(_ folder: DataFolder, sent yaml: String, name: String) throws {
    self.folder = folder.url
    file = nil
    sent = (try BudgetFile.parse(yaml, fileName: name, mostBudgets: Self.mostSent), name)
  }

  /// The most budgets that are judged for a request: each takes time to parse, and may read the store.
  private static let mostSent = 200

  /// Checks the `--budgets` file. Throws if it cannot be read, or if its `app:` is not among `apps`: with a misspelt
  /// name the default budgets would be used silently.
  func check(against apps: [App]) throws {
    guard let (found, file) = try named() else { return }
    guard let name = found.app, !apps.contains(where: { $0.bundleID == name }) else { return }
    throw UserFacingError("\(file) is for \(name), not for \(apps.map(\.bundleID).joined(separator: ", ")).")
  }

  /// A reader of an app's numbers, with its budgets. Throws if its budget file has an error.
  func health(of app: App, _ store: any Store & ArrivalHistory) throws -> HealthReader {
    HealthReader(store: store, budgets: Budget.effective(file: try budgets(of: app)))
  }

  /// A reader of an app's numbers for pages. If the budget file has an error, the reader has no budgets, and
  /// `budgetError` is the reason.
  func shownHealth(of app: App, _ store: any Store & ArrivalHistory) -> HealthReader {
    do {
      return try health(of: app, store)
    } catch {
      return HealthReader(store: store, budgets: [], budgetError: "\(error)")
    }
  }

  /// A hash of the paths, sizes and modification times of the budget files.
  var version: UInt64 {
    var hash = StableHash()
    addVersion(to: &hash)
    return hash.value
  }

  /// Adds the paths, sizes and modification times of the budget files to a hash.
  func addVersion(to hash: inout StableHash) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
    let paths = names.map { folder.appendingPathComponent($0).path } + [file].compactMap { $0 }
    for path in paths {
      hash.add(path)
      DataVersion.add(file: path, to: &hash)
    }
  }

  /// The budgets that replace those in the data folder, and what messages call them; nil for none.
  private func named() throws -> (file: BudgetFile, name: String)? {
    if let sent { return sent }
    guard let file else { return nil }
    guard let found = try read(file) else { throw UserFacingError("The budget file \(file) cannot be read.") }
    return (found, file)
  }

  private func budgets(of app: App) throws -> BudgetFile? {
    if let (found, _) = try named() {
      // A file for another app does not apply to this one.
      guard found.app == nil || found.app == app.bundleID else { return nil }
      try found.check(attribute: app.settings.attribute, of: app.bundleID)
      return found
    }
    let path = folder.appendingPathComponent(app.bundleID + ".yaml").path
    let found = try read(path)
    if let name = found?.app, name != app.bundleID {
      throw UserFacingError("\(path) is for \(name), not for \(app.bundleID).")
    }
    try found?.check(attribute: app.settings.attribute, of: app.bundleID)
    return found
  }

  private func read(_ path: String) throws -> BudgetFile? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let modified = attributes[.modificationDate] as? Date
    else { return nil }
    if let known = cache.withLock({ $0[path] }), known.modified == modified { return known.file }
    if let size = attributes[.size] as? Int, size > BudgetFile.maximumSize {
      throw UserFacingError("The budget file \(path) is larger than 1 MiB.")
    }
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    let file = try BudgetFile.parse(text, fileName: path)
    cache.withLock { $0[path] = Entry(modified: modified, file: file) }
    return file
  }
}
