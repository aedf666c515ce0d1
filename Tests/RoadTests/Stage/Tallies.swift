import Foundation
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

/// What was counted beside the numbers of the first app, as `KIND REASON`. No page shows it yet.
func tallies(of stage: Stage) throws -> [String: Int] {
  let store = try SQLiteStore(path: stage.data + "/plumb.db", migrating: false)
  let today = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).day()
  let found = try store.tallies(of: 1, in: Window(from: today - 1, to: today))
  return Dictionary(found.map { ("\($0.kind) \($0.reason)", $0.count) }, uniquingKeysWith: +)
}
