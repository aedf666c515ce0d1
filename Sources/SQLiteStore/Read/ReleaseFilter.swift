import GRDB
import Telemetry

/// A filter on a release, in the sense of `Release.isCalled`, as a condition on the table `release`: titles are put
/// together and not taken apart, for versions and builds may hold any text.
struct ReleaseFilter {
  static let condition = """
    (release.version = ? OR release.build <> ''
      AND iif(release.version = '', '\(Unnamed.title)', release.version) || ' (' || release.build || ')' = ?)
    """

  /// For the places of `condition`.
  let arguments: [String]

  init(_ name: String) { arguments = [Unnamed.stored(name), name] }
}
