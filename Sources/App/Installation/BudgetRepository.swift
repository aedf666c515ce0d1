import Analysis
import Core
import Foundation
import SQLiteStore
import Storage
import Synchronization

/// Finds the budgets of an app: in `--budgets FILE`, then in `budgets/BUNDLE_ID.yaml` in the data folder, then the
/// defaults.
///
/// A file is reread when its modification time has changed. While a file has an error, no older version of it is used:
/// `health` throws, and `shownHealth` has no budgets and has the error.
final class BudgetRepository: Sendable {
  private let folder: URL
  private let control: any ControlStore
  private let file: String?
  /// The budgets of a request, which replace every file, and their name in messages.
  private let sent: (file: BudgetFile, name: String)?
  private let cache = Mutex<[String: Entry]>([:])
  /// Whether a budget was read whose limit is Apple's goal.
  private let usesGoals = Mutex(false)

  private struct Entry {
    let modified: Date
    let file: BudgetFile
  }

  /// Creates a repository. `file`: the path of a budget file that replaces the files in the data folder; nil for none.
  init(_ installation: Installation, file: String?) {
    folder = installation.folder.url.appendingPathComponent("budgets", isDirectory: true)
    control = installation.control
    self.file = file
    sent = nil
  }

  /// Creates a repository for the budgets of one request, which are not stored. Throws `BudgetErrors` for an invalid
  /// budget file.
  init(_ installation: Installation, sent yaml: String, name: String) throws {
    folder = installation.folder.url
    control = installation.control
    file = nil
    sent = (try BudgetFile.parse(yaml, fileName: name, mostBudgets: Self.mostSent), name)
  }

  /// The most budgets of a request, because each takes time to parse and may read the store.
  private static let mostSent = 200

  /// Checks the `--budgets` file. Throws if it cannot be read, or if its `app:` is not among `apps`, because a misspelt
  /// name would silently select the default budgets.
  func check(against apps: [App]) throws {
    guard let (found, file) = try named() else { return }
    guard let name = found.app, !apps.contains(where: { $0.bundleID == name }) else { return }
    throw UserFacingError(
      "\(file): `app: \(name)` does not match \(apps.map(\.bundleID).joined(separator: ", ")). Correct or remove it.")
  }

  /// A reader of an app's numbers with its budgets. Throws if the app's budget file has an error.
  func health(of app: App, _ store: any Store & ArrivalHistory & UpdateAgeCounts) throws -> HealthReader {
    let budgets = Budget.effective(file: try budgets(of: app))
    guard budgets.contains(where: \.isOfApple) else { return HealthReader(store: store, budgets: budgets) }
    usesGoals.withLock { $0 = true }
    let goals = try control.appStoreNotes(of: app.id).goals
    return HealthReader(store: store, budgets: budgets.map { $0.resolved(by: goals) })
  }

  /// A reader of an app's numbers for pages. If the budget file has an error, the reader has no budgets, and
  /// `budgetError` is the error.
  func shownHealth(of app: App, _ store: any Store & ArrivalHistory & UpdateAgeCounts) -> HealthReader {
    do {
      return try health(of: app, store)
    } catch {
      return HealthReader(store: store, budgets: [], budgetError: "\(error)")
    }
  }

  /// A hash of the paths, sizes and modification times of the budget files, and of the version of Apple's goals if a
  /// budget uses them.
  var version: UInt64 {
    var hash = StableHash()
    addVersion(to: &hash)
    if usesGoals.withLock({ $0 }) {
      // An unknown version must not equal another one.
      hash.add((try? control.version()).map { UInt64(bitPattern: $0) } ?? .random(in: 0...UInt64.max))
    }
    return hash.value
  }

  /// Adds the paths, sizes and modification times of the budget files to a hash.
  func addVersion(to hash: inout StableHash) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
    let paths = names.map { folder.appendingPathComponent($0).path } + [file].compactMap { $0 }
    for path in paths {
      hash.add(path)
      DataChangeToken.add(file: path, to: &hash)
    }
  }

  /// The budgets that replace the files in the data folder, and their name in messages; nil for none.
  private func named() throws -> (file: BudgetFile, name: String)? {
    if let sent { return sent }
    guard let file else { return nil }
    guard let found = try read(file) else { throw UserFacingError("\(file) (--budgets) cannot be read.") }
    return (found, file)
  }

  private func budgets(of app: App) throws -> BudgetFile? {
    if let (found, _) = try named() {
      // A file for another app does not apply to this one.
      guard found.app == nil || found.app == app.bundleID else { return nil }
      try found.check(attributes: app.settings.attributes, of: app.bundleID)
      return found
    }
    let path = folder.appendingPathComponent(app.bundleID + ".yaml").path
    let found = try read(path)
    if let name = found?.app, name != app.bundleID {
      throw UserFacingError("\(path): `app: \(name)` does not match \(app.bundleID). Correct or remove it.")
    }
    try found?.check(attributes: app.settings.attributes, of: app.bundleID)
    return found
  }

  private func read(_ path: String) throws -> BudgetFile? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let modified = attributes[.modificationDate] as? Date
    else { return nil }
    if let known = cache.withLock({ $0[path] }), known.modified == modified { return known.file }
    if let size = attributes[.size] as? Int, size > BudgetFile.maximumSize {
      throw UserFacingError("\(path): the budget file is larger than 1 MiB.")
    }
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    let file = try BudgetFile.parse(text, fileName: path)
    cache.withLock { $0[path] = Entry(modified: modified, file: file) }
    return file
  }
}
