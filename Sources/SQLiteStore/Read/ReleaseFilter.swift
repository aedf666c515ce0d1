import Core
import Storage

/// A filter by release, equivalent to `Release.isCalled`, as a condition on the table `release`. It compares composed
/// titles, because versions and builds may contain any text.
struct ReleaseFilter {
  static let condition = """
    (release.version = ? OR release.build <> ''
      AND iif(release.version = '', '\(UnknownName.title)', release.version) || ' (' || release.build || ')' = ?)
    """

  /// The arguments for the parameters of `condition`.
  let arguments: [String]

  init(_ name: String) { arguments = [UnknownName.stored(name), name] }
}
