import GRDB
import Telemetry

/// A filter on a release, in the sense of `Release.isCalled`, as a condition on the table `release`.
struct ReleaseFilter {
  static let condition = "(release.version = ? OR release.version = ? AND release.build = ?)"

  /// For the places of `condition`: a version may itself look like a version with its build.
  let arguments: [String]

  init(_ name: String) {
    let named = Release(title: name)
    arguments = [named.build.isEmpty ? named.version : name, named.version, named.build]
  }
}
