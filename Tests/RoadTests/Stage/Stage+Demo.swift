import Foundation
import Testing
import TestSupport

extension Stage {
  /// Makes a small demo fleet in the data folder.
  func fillWithDemo(users: Int = 60) throws {
    let made = try run("demo", "--users", String(users), limit: 600)
    try #require(made.succeeded, "\(made.errors)")
  }

  /// Reads again if one of the steps ended meanwhile in which the use of the last day moves on, so that what was read
  /// from several places is of one time.
  func inOneStep<Read>(_ read: () throws -> Read) throws -> Read {
    func step() -> Int { Int(Date().timeIntervalSince1970) / 300 }
    while true {
      let before = step()
      let found = try read()
      if step() == before { return found }
    }
  }
}
